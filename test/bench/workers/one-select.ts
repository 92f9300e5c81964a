/** One prepared SELECT of a page of contacts, answered as it comes: no login, no total, no log line. */
interface Env {
  DB: D1Database;
}

const details = `
  select id, code, phone, email, fax, created_at, updated_at, ident, ident_type, auth_info, name, org_name,
    registrar_id, creator as creator_str, updater as updator_str, ident_country_code, city, street, zip,
    country_code, state, legacy_id, statuses, status_notes
  from contacts where registrar_id = ? order by number limit 200`;

const codes = 'select code from contacts where registrar_id = ? order by number limit 200';

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const statement = searchParams.get('details') === 'true' ? details : codes;
    const { results } = await env.DB.prepare(statement).bind(searchParams.get('registrar')).all();
    return Response.json({ contacts: results });
  },
};
