import type { ServerResponse } from 'node:http'
import * as z from 'zod/mini'
import type { Who } from '../access/index.ts'
import type { EarlyWorld, World } from '../world.ts'
import type { Asking } from './checks.ts'

/** What one may do. `agent` is for programs that have sessions of their own: they see and prompt those, and nothing else. */
export const roles = ['agent', 'viewer', 'operator', 'admin'] as const
export type GivenRole = (typeof roles)[number]
/** Nobody is given `machine`: a machine of the fleet has it by its key, and reaches only what is its own. */
export type Role = GivenRole | 'machine'

/** What each may do besides its own. */
const covers: Readonly<Record<Role, readonly Role[]>> = {
  agent: ['agent'],
  viewer: ['viewer'],
  operator: ['operator', 'viewer', 'agent'],
  admin: roles,
  machine: ['machine'],
}

type Shape = z.ZodMiniType
type Read<S extends Shape | undefined> = S extends Shape ? z.infer<S> : undefined

/** What a handler gets. Everything in it is checked. */
export interface Call<
  P extends Shape | undefined,
  Q extends Shape | undefined,
  B extends Shape | undefined,
  W extends EarlyWorld = World,
> {
  params: Read<P>
  query: Read<Q>
  body: Read<B>
  who: Who
  world: W
  /** The request as it came, for what is not JSON. */
  request: Request
  /** Its headers, without those of the web being made for it. */
  asking: Asking
  /** Writes down in the journal what was changed, in words; where a handler does not, the name of its route is written. */
  recordChange(what: string, more?: Readonly<Record<string, unknown>>): Promise<void>
  /** For what is sent piece by piece. */
  outgoing: ServerResponse
}

/**
 * One thing that the server does. The table of these is all there is: the server answers by it, checks by it who may do
 * what, and the OpenAPI document derives from it.
 */
export interface Route<
  P extends Shape | undefined = Shape | undefined,
  Q extends Shape | undefined = Shape | undefined,
  B extends Shape | undefined = Shape | undefined,
  A extends Shape = Shape,
  W extends EarlyWorld = World,
> {
  method: 'get' | 'post' | 'put' | 'delete'
  /** `:name` stands for a parameter. */
  path: string
  summary: string
  /** The weakest role that may; `anybody`: every person and program that is signed in; `nobody`: without signing in. */
  needs: Needed
  /** Only somebody who has shown to be a person may: it loosens something. */
  person?: true
  /** Its answer depends on its query and on what the journals hold, and on nothing else: it is the same until something is written. */
  lasts?: true
  /** Many send it from one address: it is limited like reading. */
  often?: true
  /** Why no line of the journal says that this was done, though it is no GET. Absent: one does. */
  unaudited?: string
  params?: P
  query?: Q
  body?: B
  /** What it answers with, and how. */
  answer: A
  status?: number
  type?: string
  handle(call: Call<P, Q, B, W>): Promise<z.infer<A> | Response>
}

/** Identity, for inference. What a handler gets is known where it is written; the table forgets it. */
export const route = <
  A extends Shape,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(
  given: Route<P, Q, B, A>,
): Route => given as unknown as Route

/** One that needs only what is there at once. */
export type EarlyRoute = Route<Shape | undefined, Shape | undefined, Shape | undefined, Shape, EarlyWorld>
export const earlyRoute = <
  A extends Shape,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
>(
  given: Route<P, Q, undefined, A, EarlyWorld> & { method: 'get' },
): EarlyRoute => given as unknown as EarlyRoute

export type Needed = Role | 'anybody' | 'nobody'

export const mayDo = (role: Role, needed: Exclude<Needed, 'nobody'>): boolean =>
  needed === 'anybody' ? role !== 'machine' : covers[role].includes(needed)

/** Answers that are no JSON. */
export const plain = z.string()
export const nothing = z.object({ ok: z.literal(true) })
