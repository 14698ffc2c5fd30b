import type { Script } from './script.ts'

/** A goal is worked for like a prompt: what the agent says of it comes first. */
const start = '^(?:[^\\n]*`claim_completion`[^\\n]*:\\n\\n)?\\s*'

/** What the rehearsal model says when there is no key and no script: what it is, and how to try hooks with it. */
export const defaultScript: Script = {
  rehearsal: 1,
  name: 'default',
  turns: [
    {
      when: { tool: '.*', failed: true },
      say: 'I could not do that. I was told:\n\n{{ result }}',
      repeat: true,
    },
    {
      when: { tool: '.*', offered: 'claim_completion', not: { tool: 'claim_completion' } },
      call: { tool: 'claim_completion', input: { summary: 'The result of `{{ tool }}`: {{ result }}' } },
      repeat: true,
    },
    {
      when: { tool: '.*' },
      say: 'Done. The result of `{{ tool }}`:\n\n{{ result }}',
      repeat: true,
    },
    {
      when: { user: `(?is)${start}run:?\\s+\`?(?P<command>[^\`]+)`, offered: '(?P<shell>shell|bash)' },
      say: 'I will run that.',
      call: { tool: '{{ shell }}', input: { command: '{{ command }}' } },
      repeat: true,
    },
    {
      when: { user: `(?i)${start}(?:read|show|open)\\s+\`?(?P<path>[^\\s\`]+)`, offered: 'read_file' },
      call: { tool: 'read_file', input: { path: '{{ path }}' } },
      repeat: true,
    },
    {
      when: { user: `(?is)${start}write\\s+\`?(?P<path>[^\\s\`:]+)\`?\\s*:\\s*(?P<content>.+)`, offered: 'write_file' },
      call: { tool: 'write_file', input: { path: '{{ path }}', content: '{{ content }}' } },
      repeat: true,
    },
    {
      when: { user: `(?i)${start}(?:ls|list)\\s+\`?(?P<path>[^\\s\`]+)`, offered: 'list_directory' },
      call: { tool: 'list_directory', input: { path: '{{ path }}' } },
      repeat: true,
    },
    {
      when: { user: `(?i)${start}(?:ls|list)\\s*$`, offered: 'list_directory' },
      call: { tool: 'list_directory', input: { path: '.' } },
      repeat: true,
    },
    {
      when: { user: `(?i)${start}fetch\\s+\`?(?P<url>[^\\s\`]+)`, offered: 'fetch' },
      call: { tool: 'fetch', input: { url: '{{ url }}' } },
      repeat: true,
    },
  ],
  default: {
    say: [
      'I am the rehearsal model: no network, no key, no cost. I do what I am told, word for word, so that you can see ',
      'what your hooks make of it. Try:\n\n',
      '  run rm -rf build       a shell command\n',
      '  read README.md         a file\n',
      '  write notes.txt: hello\n',
      '  list src\n',
      '  fetch https://example.com\n\n',
      'For a real model, set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or name one: `--model ollama/qwen3`.',
    ].join(''),
  },
}
