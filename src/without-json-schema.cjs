/**
 * In the Worker's bundle, this takes the place of the part of zod that writes JSON Schema, which only the document of
 * the interfaces needs, and which is built elsewhere: it would be 4.8 of 125 KiB.
 */
exports.createToJSONSchemaMethod = exports.createStandardJSONSchemaMethod = () => () => {};
