import type { CallCodec, ResultCodec, ToolSection } from '../../core/index.ts'
import { anyResult, editCodec, emptyWriteCodec, isRecord, listCodec, textBlocks, textUnder } from '../../core/index.ts'

/** What a command printed is in two fields; a new text goes into the first. Beside other content it is not the whole. */
const printed: ResultCodec = {
  read(result) {
    if (!isRecord(result) || typeof result['stdout'] !== 'string' || result['isImage'] === true) return undefined
    if (Object.values(result).some((value) => typeof value === 'object' && value !== null)) return undefined
    const { stdout, stderr } = result
    return typeof stderr === 'string' && stderr !== '' ? [stdout, stderr].filter(Boolean).join('\n') : stdout
  },
  write: (text, original) => ({
    ...(isRecord(original) ? original : { interrupted: false, isImage: false }),
    stdout: text,
    stderr: '',
  }),
}

/** `{ type: 'text', file: { content, … } }` */
const file: ResultCodec = {
  read(result) {
    const found = isRecord(result) && isRecord(result['file']) ? result['file']['content'] : undefined
    return typeof found === 'string' ? found : undefined
  },
  write(text, original) {
    const whole = isRecord(original) ? original : { type: 'text' }
    const { file: before } = whole as { file?: unknown }
    return { ...whole, file: { ...(isRecord(before) ? before : {}), content: text } }
  },
}

/** What a sub-agent answers: `{ content: [{ type: 'text', text }], … }`. */
const answer: ResultCodec = {
  read: (result) => (isRecord(result) ? textBlocks.read(result['content']) : undefined),
  write: (text, original) => {
    const whole = isRecord(original) ? original : {}
    return { ...whole, content: textBlocks.write(text, whole['content']) }
  },
}

/** Cells of a notebook are edits of its file. */
const notebook: CallCodec = {
  read({ input }) {
    const { notebook_path: path, new_source: newText, ...rest } = input
    if (typeof path !== 'string') return undefined
    return [{ tool: 'edit_file', input: { path, ...rest, edits: [newText === undefined ? {} : { newText }] } }]
  },
  write: ({ input }) => {
    const { path, edits, ...rest } = input
    const first = Array.isArray(edits) && isRecord(edits[0]) ? edits[0] : {}
    const text = first['newText'] === undefined ? {} : { new_source: first['newText'] }
    return [{ tool: 'NotebookEdit', input: { notebook_path: path, ...rest, ...text } }]
  },
}

const shell = { names: ['Bash'], result: printed } as const

export const tools: ToolSection = {
  calls: {
    shell,
    bash: shell,
    run_background_job: shell,
    powershell: { names: ['PowerShell'], result: printed },
    read_file: { names: ['Read', 'NotebookRead'], args: { path: ['file_path', 'notebook_path'] }, result: file },
    read_multiple_files: {
      names: ['Read'],
      codec: listCodec('read_multiple_files', 'paths', 'Read', 'file_path'),
      result: file,
    },
    write_file: { names: ['Write'], args: { path: 'file_path' } },
    edit_file: [
      {
        names: ['Edit', 'MultiEdit'],
        codec: editCodec(
          { one: 'Edit', many: 'MultiEdit' },
          { path: 'file_path', old: 'old_string', new: 'new_string', all: 'replace_all' },
        ),
      },
      { names: ['NotebookEdit'], codec: notebook },
    ],
    delete_file: { names: ['Write', 'Edit', 'MultiEdit'], codec: emptyWriteCodec('Write', 'file_path', 'content') },
    list_directory: { names: ['LS'] },
    search_files_content: { names: ['Grep'], args: { query: 'pattern' }, result: textUnder('content') },
    search_files: { names: ['Glob'] },
    fetch: { names: ['WebFetch'], codec: listCodec('fetch', 'urls', 'WebFetch', 'url'), result: textUnder('result') },
    web_search: { names: ['WebSearch'] },
    transfer_task: { names: ['Task', 'Agent'], args: { agent: 'subagent_type', task: 'prompt' }, result: answer },
  },
  result: anyResult(textBlocks),
  mcp: { names: ['mcp__{server}__{tool}'] },
}
