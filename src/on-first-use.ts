/**
 * Makes a value when it is first needed and keeps it for the isolate. Zod types are made this way, because making all
 * of them takes half of an isolate's start, and an isolate that serves public lists needs none.
 */
export function onFirstUse<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
