export function cookieIn(request: Request, name: string): string | undefined {
  const all = (request.headers.get('cookie') ?? '').split(/;\s*/)
  return all.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1)
}
