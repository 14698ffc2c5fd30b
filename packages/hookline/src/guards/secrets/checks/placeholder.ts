/** Words that only stand where a secret should go. Matched anywhere in the value. */
const FILLER =
  /example|placeholder|change[-_ ]?(?:me|this|it)|your[-_ ]?(?:own|api|key|token|secret|pass|app|client|access|auth|private)|your[-_]|<your|dummy|redacted|replace[-_ ]?(?:me|this|with)|insert[-_ ]|not[-_]?real|fixme|to[-_]?do[-_]|sample|(?:^|[-_.])fake(?:$|[-_.])|masked|hidden|(?:my|the|some|this[-_]?is[-_]?a?|super|top)[-_]?(?:secret|password|token|api[-_]?key|key)/i

/** Values that refer to a secret kept elsewhere. */
const REFERENCE =
  /\$\{|\$\(|\{\{|\}\}|<%|%>|#\{|@\{|\$\[\[|process\.env|import\.meta|os\.environ|getenv|environ\[|\bENV\[|\benv\(|\$env:|secretsmanager|keyvault|^(?:op|vault|ssm|sm|file|env|secret|ref\+[a-z]+|gcp|aws|azure|doppler|infisical|kms|sops|keyring|projects|arn):|^projects\/|^secrets?[./]|^vars?\.|^env\.|^\$[A-Za-z_]\w*$|^\$\d$|^%[A-Za-z_]\w*%$|^%[-\d.]*[a-z]$|^\{[^}]*\}?$|^<[^>]*>?$|^\[[^\]]*\]?$|^__\w+__$|^@[\w./-]+$|^!\w+$|^&\w+$|^\*\w+$/

/** Whole values that are never a credential worth hiding. */
const COMMON = new Set(
  `password passwd passphrase passwort contraseña secret secrets token tokens key keys apikey api_key api-key pass pwd admin root user username
  test testing tests tester none null nil true false undefined string str text number integer boolean bool object required optional empty default
  unknown invalid valid disabled enabled value values hunter postgres mysql redis mongo mongodb guest public private hidden prompt interactive
  bearer basic digest oauth oauth2 jwt aes rsa plain inline stdin env file vault foobar foobarbaz foo bar baz qwerty letmein login pass123
  password1 password123 secret123 test123 test1234 abc123 abcd1234 admin123`.split(/\s+/),
)

/** Text that shows where a secret goes, or hides one, or names where it is kept. */
export function isPlaceholder(text: string): boolean {
  return (
    COMMON.has(text.toLowerCase()) ||
    REFERENCE.test(text) ||
    FILLER.test(text) ||
    /\*{3}|•{3}|…|\.{3}|(?:\\?[uU]\+?2022){3}/.test(text) ||
    hasLongRun(text) ||
    hasSequence(text) ||
    hasFewSymbols(text)
  )
}

/** The same character six times over. */
const hasLongRun = (text: string): boolean => /([\s\S])\1{5}/.test(text)

/** Eight characters that count up: 12345678, abcdefgh. */
function hasSequence(text: string): boolean {
  let length = 1
  for (let i = 1; i < text.length; i++) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1)
    // 9 is followed by 0 or by a on the keyboards and in the alphabets people count in.
    const wraps = text[i - 1] === '9' && (text[i] === '0' || text[i] === 'a' || text[i] === 'A')
    length = step === 1 || wraps ? length + 1 : 1
    if (length === 8) return true
  }
  return false
}

function hasFewSymbols(text: string): boolean {
  if (text.length < 5) return false
  const folded = text.toLowerCase()
  const symbols: string[] = []
  for (const symbol of folded) {
    if (symbols.includes(symbol)) continue
    if (symbols.push(symbol) > 3) return false
  }
  return true
}
