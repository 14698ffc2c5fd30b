import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface Certificate {
  key: string
  cert: string
}

/** A self-signed certificate, made here so that no private key has to be kept. Node has no function for it; DER is not hard. */
export function makeCertificate(name: string, { expired = false } = {}): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const year = new Date().getUTCFullYear()
  const subject = sequence(set(sequence(identifier('2.5.4.3'), value(0x0c, name))))
  const body = sequence(
    value(0xa0, value(0x02, Buffer.from([2]))),
    value(0x02, Buffer.concat([Buffer.from([1]), randomBytes(7)])),
    ecdsaWithSha256,
    subject,
    sequence(time(year - 2), time(expired ? year - 1 : year + 2)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    value(
      0xa3,
      sequence(
        sequence(identifier('2.5.29.17'), value(0x04, sequence(value(0x82, name)))),
        sequence(identifier('2.5.29.19'), value(0x04, sequence(value(0x01, Buffer.from([0xff]))))),
      ),
    ),
  )
  const signature = value(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const der = sequence(body, ecdsaWithSha256, signature)
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'))

function value(tag: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string)
  const size = bytes.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), bytes])
}

function sequence(...parts: Buffer[]): Buffer {
  return value(0x30, Buffer.concat(parts))
}

function set(...parts: Buffer[]): Buffer {
  return value(0x31, Buffer.concat(parts))
}

function time(year: number): Buffer {
  return value(0x17, `${String(year).slice(2)}0101000000Z`)
}

function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest.flatMap(base128)]
  return value(0x06, Buffer.from(bytes))
}

function base128(number: number): number[] {
  const digits = [number & 0x7f]
  for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}
