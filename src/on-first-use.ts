/**
 * Makes a value when it is first asked for, and keeps it for the isolate. Zod types are made this way: making them all
 * takes half of an isolate's start, and one that serves public lists needs none of them.
 */
export function onFirstUse<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
