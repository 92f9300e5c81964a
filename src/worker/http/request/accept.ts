/**
 * The weights in `Accept-Encoding` or `Accept-Language` by name in lower case, from 0 (refused) to 1 (RFC 9110).
 */
export function weightsOf(header: string | null | undefined): Map<string, number> {
  const ranges = (header ?? '').toLowerCase().split(',');
  return new Map(
    ranges.map((range) => {
      const [name = '', weight = '1'] = range.split(/;\s*q\s*=/);
      return [name.trim(), Number(weight)];
    }),
  );
}
