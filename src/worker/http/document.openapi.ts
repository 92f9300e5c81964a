import { createDocument } from 'zod-openapi';
import packageJson from '../../../package.json' with { type: 'json' };
import { auctionPaths } from './auction/auctions.openapi.ts';
import { healthPaths } from './health/health.openapi.ts';
import { identityServicePaths } from './identity-service/callback.openapi.ts';
import { internalChangesPaths } from './internal/changes.openapi.ts';
import { internalDomainPaths } from './internal/domains.openapi.ts';
import { internalAuctionPaths, internalNamePaths } from './internal/names.openapi.ts';
import { headers, parameterComponents } from './openapi/headers.ts';
import { description, securitySchemes, serversFor, tags } from './openapi/introduction.ts';
import { keepInput, tidied } from './openapi/json-schema.ts';
import { publicListPaths } from './public/lists.openapi.ts';
import { namePaths } from './public/names.openapi.ts';
import { registrantPaths } from './registrant/registrant.openapi.ts';
import { accountPaths } from './registrar/account.openapi.ts';
import { contactPaths } from './registrar/contacts.openapi.ts';
import { verificationPaths } from './registrar/verifications.openapi.ts';
import { webhookRequests } from './registrar/webhooks.openapi.ts';
import { pagePaths } from './site/pages.openapi.ts';

/**
 * The OpenAPI 3.1 document, made from the validating zod types when the Worker is built. The Worker's bundle must not import it, nor the
 * `*.openapi.ts` files.
 */
export function openApiDocument() {
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Registry Edge',
        version: packageJson.version,
        description,
        license: { name: packageJson.license, identifier: packageJson.license },
      },
      servers: serversFor({}),
      tags,
      security: [],
      paths: {
        ...contactPaths,
        ...verificationPaths,
        ...accountPaths,
        ...registrantPaths,
        ...auctionPaths,
        ...identityServicePaths,
        ...internalAuctionPaths,
        ...internalChangesPaths,
        ...internalNamePaths,
        ...internalDomainPaths,
        ...publicListPaths,
        ...namePaths,
        ...healthPaths,
        ...pagePaths,
      },
      webhooks: webhookRequests,
      components: {
        headers,
        parameters: parameterComponents,
        securitySchemes: securitySchemes(false),
      },
    },
    { override: keepInput },
  );
  return tidied(document);
}
