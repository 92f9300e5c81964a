/**
 * Makes a value when it is first needed and keeps it for the isolate. All zod types would take half of an isolate's
 * start, and public lists need none.
 */
export function onFirstUse<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/**
 * Makes a value for each key when it is first asked for, and keeps it as long as the key. What throws is tried again.
 */
export function onFirstUseOf<Key extends WeakKey, Value>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const made = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const kept = made.get(key);
    if (kept) return kept.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}
