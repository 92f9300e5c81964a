import { gzipSync } from 'node:zlib';

/** A Worker that answers with a text in gzip, or says so of one that it has not compressed. */
export default {
  async fetch(request) {
    const headers = { 'Content-Encoding': 'gzip' };
    const { pathname } = new URL(request.url);
    const encoded = new Response(gzipSync('text'), { headers, encodeBody: 'manual' });
    if (pathname === '/encoded') return encoded;
    if (pathname === '/twice') return new Response(encoded.body, { headers });
    if (pathname === '/copied') return new Response(encoded.body, encoded);
    return new Response('text', { headers });
  },
} satisfies ExportedHandler;
