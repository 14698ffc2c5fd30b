import { describe, expect, it } from 'vitest'
import { type SpecHook, specVerdict } from '../../spec/verdict.ts'
import { type Layer, layers } from '../../src/core/index.ts'
import { createHooks, type HooksOptions } from '../../src/index.ts'
import fc from '../support/property.ts'
import { scripted } from '../support/scripted.ts'
import { project } from './support.ts'

const fileLayers = layers.filter((layer) => layer !== 'code')
/** No keys of a fleet have signed these files; what holds of its layer holds all the same. */
const unsigned = (layer: Layer) => (layer === 'fleet' ? { candidate: true as const } : {})
const rulings = ['deny', 'ask', 'allow'] as const
type Opinion = { layer: Layer; by: 'hook' | 'rule'; ruling: (typeof rulings)[number] }

const opinion: fc.Arbitrary<Opinion> = fc.record({
  layer: fc.constantFrom(...fileLayers),
  by: fc.constantFrom('hook' as const, 'rule' as const),
  ruling: fc.constantFrom(...rulings),
})

/** What these come to for `npm test`, each layer a file. */
async function verdictOf(opinions: readonly Opinion[], more: HooksOptions = {}) {
  const cwd = project()
  const files = fileLayers.map((layer) => {
    const own = opinions.filter((each) => each.layer === layer)
    const rules = own.filter(({ by }) => by === 'rule').map(({ ruling }) => ({ [ruling]: { run: 'npm test' } }))
    const hooks = own
      .filter(({ by }) => by === 'hook')
      .map(({ ruling }, at) => ({
        event: 'pre_tool_use',
        run: {
          type: 'scripted',
          exit: 0,
          stdout: JSON.stringify({ decision: ruling }),
          stderr: '',
          unique: `${layer}${at}`,
        },
      }))
    return {
      file: `${cwd}/${layer}.json`,
      layer,
      dialect: 'native',
      text: JSON.stringify({ version: 1, rules, hooks }),
      ...unsigned(layer),
    }
  })
  const hooks = await createHooks({ files, cwd, executors: [scripted], ...more })
  const verdict = await hooks.raise('pre_tool_use', { tool_name: 'shell', tool_input: { command: 'npm test' }, cwd })
  await hooks.close()
  return verdict
}

const rulingOf = async (opinions: readonly Opinion[]) => (await verdictOf(opinions)).decision?.ruling

/** A list of rules is one hook: among its own rules deny wins, and an allow answers its asks. */
function asSpec(opinions: readonly Opinion[]): SpecHook[] {
  return fileLayers.flatMap((layer, rank) => {
    const own = opinions.filter((each) => each.layer === layer)
    const said = own.filter(({ by }) => by === 'rule').map(({ ruling }) => ruling)
    const together = (['deny', 'allow', 'ask'] as const).find((each) => said.includes(each))
    const hook = (ruling: string, rules: boolean, at: number): SpecHook => ({
      id: `${layer}${rules}${at}`,
      stage: 0,
      onFailure: 'closed',
      shadow: false,
      reply: { exit: 0, stdout: JSON.stringify({ decision: ruling }), stderr: '' },
      rank,
      rules,
    })
    return [
      ...(together ? [hook(together, true, 0)] : []),
      ...own.filter(({ by }) => by === 'hook').map(({ ruling }, at) => hook(ruling, false, at)),
    ]
  })
}

const strictness = (ruling: string | undefined) => ['allow', undefined, 'ask', 'deny'].indexOf(ruling)

describe('rules among hooks', () => {
  it('come to what the specification says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(opinion, { maxLength: 5 }), async (opinions) => {
        expect(await rulingOf(opinions)).toBe(specVerdict(asSpec(opinions), {}).ruling)
      }),
      { numRuns: 150 },
    )
  })

  it('adding anything but an allow rule never weakens a verdict, and nothing undoes a deny', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(opinion, { maxLength: 4 }), opinion, async (opinions, added) => {
        const [before, after] = [await rulingOf(opinions), await rulingOf([...opinions, added])]
        if (before === 'deny') expect(after).toBe('deny')
        if (added.ruling === 'allow') return
        expect(strictness(after)).toBeGreaterThanOrEqual(strictness(before === undefined ? 'allow' : before))
        if (before === 'ask') expect(['ask', 'deny']).toContain(after)
      }),
      { numRuns: 100 },
    )
  })

  it.each([
    ['project', 'project', 'allow'],
    ['user', 'project', 'allow'],
    ['project', 'user', 'ask'],
    ['local', 'managed', 'ask'],
  ] as const)('an allow rule of %s against the ask of a hook of %s: %s', async (allow, ask, expected) => {
    const opinions: Opinion[] = [
      { layer: allow, by: 'rule', ruling: 'allow' },
      { layer: ask, by: 'hook', ruling: 'ask' },
    ]
    expect(await rulingOf(opinions)).toBe(expected)
    expect(await rulingOf([{ ...opinions[0]!, by: 'hook' }, opinions[1]!]), 'the allow of a hook').toBe('ask')
  })

  it.each(rulings)(
    'a rule that says %s does not count as “already ruled” for ordinary hooks of docker-agent',
    async (ruling) => {
      const cwd = project()
      const theirs = { pre_tool_use: [{ matcher: 'shell', hooks: [{ type: 'command', command: 'exit 0' }] }] }
      const hooks = await createHooks({
        files: [
          {
            file: `${cwd}/hookline.json`,
            layer: 'user',
            text: JSON.stringify({ version: 1, rules: [{ [ruling]: { run: 'ls' } }] }),
          },
          {
            file: `${cwd}/agent.json`,
            layer: 'project',
            dialect: 'docker-agent',
            text: JSON.stringify({ agents: { root: { hooks: theirs } } }),
          },
        ],
        cwd,
      })
      const asked = async (more: object = {}) => {
        const { decision, reports } = await hooks.raise('pre_tool_use', {
          tool_name: 'shell',
          tool_input: { command: 'ls' },
          cwd,
          ...more,
        })
        expect(decision?.ruling).toBe(ruling)
        return reports.filter(({ hook }) => hook !== 'rules').map((each) => each.asked)
      }
      expect(await asked()).toEqual([true])
      expect(await asked({ permission_rule: 'allow' }), 'a permission rule of the agent does').toEqual([false])
      await hooks.close()
    },
  )
})

describe('several files of one layer', () => {
  const force = { tool_name: 'shell', tool_input: { command: 'git clean -f' } }
  const asks = [{ rules: [{ ask: { run: 'git clean' } }] }, { use: ['git-safe'] }]
  const allows = { rules: [{ allow: { run: 'git clean -f' } }] }

  async function ruled(configs: readonly (readonly [Layer, object])[], call = force) {
    const cwd = project()
    const files = configs.map(([layer, config], at) => ({
      file: `${cwd}/${at}.json`,
      layer: layer as (typeof fileLayers)[number],
      dialect: 'native',
      text: JSON.stringify({ version: 1, ...config }),
      ...unsigned(layer),
    }))
    const hooks = await createHooks({ files, cwd })
    const { decision } = await hooks.raise('pre_tool_use', { ...call, cwd })
    await hooks.close()
    return decision?.ruling
  }

  it.each(fileLayers)('an allow in one file of %s answers an ask in another, also of a bundle', async (layer) => {
    for (const config of asks) {
      expect(await ruled([[layer, config]])).toBe('ask')
      expect(
        await ruled([
          [layer, config],
          [layer, allows],
        ]),
      ).toBe('allow')
      expect(
        await ruled([
          [layer, allows],
          [layer, config],
        ]),
      ).toBe('allow')
      expect(
        await ruled([
          [layer, { ...config, ...('use' in config && allows) }],
          [layer, allows],
        ]),
      ).toBe('allow')
    }
  })

  it('an allow answers a bundle that a weaker layer uses, and none that a stronger one does', async () => {
    for (const config of asks) {
      expect(
        await ruled([
          ['user', allows],
          ['project', config],
        ]),
      ).toBe('allow')
      expect(
        await ruled([
          ['user', config],
          ['project', allows],
        ]),
      ).toBe('ask')
      expect(
        await ruled([
          ['user', config],
          ['project', config],
          ['project', allows],
        ]),
      ).toBe('ask')
    }
  })

  it('never a deny', async () => {
    const push = { tool_name: 'shell', tool_input: { command: 'git push --force' } }
    const allow = { rules: [{ allow: { run: 'git push --force' } }] }
    expect(
      await ruled(
        [
          ['project', { use: [{ bundle: 'git-safe', with: { force_push: 'deny' } }] }],
          ['project', allow],
        ],
        push,
      ),
    ).toBe('deny')
  })
})
