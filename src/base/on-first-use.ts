/** Makes a value at its first use and keeps it for the isolate. */
export function onFirstUse<Value>(make: () => Value): () => Value {
  let slot: { value: Value } | undefined;
  return () => {
    slot ??= { value: make() };
    return slot.value;
  };
}

/** Makes a value for each key at its first use, and keeps it as long as the key. After an error, tries again. */
export function onFirstUseOf<Key extends WeakKey, Value>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const slot = values.get(key);
    if (slot) return slot.value;
    const value = make(key);
    values.set(key, { value });
    return value;
  };
}
