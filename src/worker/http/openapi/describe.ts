import * as z from 'zod';

/** Describes types that validate, for the document alone. */
export function describe<Types extends object>(
  types: Types,
  descriptions: { [Name in keyof Types]?: string | z.core.GlobalMeta },
): void {
  for (const [name, description] of Object.entries(descriptions)) {
    const meta = typeof description === 'string' ? { description } : description;
    z.globalRegistry.add(types[name as keyof Types] as z.core.$ZodType, meta as z.core.GlobalMeta);
  }
}

export const instantType = () => z.iso.datetime({ precision: 3 });

export const named = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id });

export const parameter = (id: string, description: string, example?: string) =>
  z.string().meta({ description, param: { id, example } });
