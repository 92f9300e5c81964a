/** A revalidation that looks at nothing. */
export default {
  fetch(): Response {
    const headers = { ETag: 'W/"0123456789abcdef0123456789abcdef"', 'Cache-Control': 'public' };
    return new Response(null, { status: 304, headers });
  },
};
