/** The parts of an OpenAPI document that do not belong to a single operation. */
export interface ApiTexts {
  title: string;
  /** Markdown. */
  description: string;
  /** Descriptions of the sections by name, in display order. */
  tags: Record<string, string>;
}

const conventions = `**Lists** accept \`limit\` (1 to 200) and the \`cursor\` of the previous page. **Times** are ISO 8601 in UTC.
A time in a request can have an offset (in a query, \`+\` is sent as \`%2B\`) and up to nine fraction digits: stored times are
truncated to milliseconds, and filters select by the exact time. **Bodies** are JSON of at most 64 KiB; unknown fields and
query parameters are rejected. **PATCH** requests are merge patches (RFC 7396). Where a GET returns an \`ETag\`, a PATCH
with \`If-Match\` is applied only if the object has not changed since.

**Errors** are problem documents (RFC 9457). \`code\` is one of the codes listed in [docs/errors](docs/errors). In
addition to the errors of an operation, any request can return 404 \`not_found\`, 405 \`method_not_allowed\` with
\`Allow\`, 408 \`request_timeout\` and 431 \`headers_too_large\`. A request with an unexpected body can return 400
\`invalid_json\`, 413 \`payload_too_large\` and 415 \`unsupported_media_type\`. HEAD requests are handled like GET.

Every response has an \`X-Request-Id\` header; the log contains the same id. Later versions may add fields and enum
values: ignore those that your code does not know.`;

export const publicApi: ApiTexts = {
  title: 'Gatehouse',
  description: `Customer authentication and identity with webhook delivery.

There are two route families. Under \`/api/v1\`, names are camelCase, resources have no envelope, and lists are
\`{"data", "nextCursor", "hasMore"}\`. Under \`/v1\`, names are snake_case, every body has \`success\` and \`data\`, and ids
have a prefix.

${conventions}`,
  tags: {
    Authentication: 'Registration, sign-in and account recovery. For pages and apps, with a publishable key.',
    Customer: 'The account of the signed-in customer, with an access token.',
    Customers: 'The customers of a project, for your servers.',
    Imports: 'Bulk import of customers from another system.',
    Organizations: 'The organization of the key and the organizations that it created.',
    Projects: 'Isolated environments, each with its own customers, API keys and settings.',
    'Identity providers': 'The services, such as Google, with which the customers of a project can sign in.',
    'Email templates': 'The texts of the emails of a project, for each kind of email and language.',
    'API keys': 'The keys of a project. A key can create only keys with the same or fewer permissions.',
    Billing: 'The billing portal of an organization.',
    Events:
      'The event feed, oldest first, with the same bodies as the webhooks, and events that your servers send.',
    'Webhook endpoints': 'The URLs that receive events.',
    'Webhook deliveries': 'Delivery attempts and single redeliveries.',
    'Webhook redeliveries': 'Bulk redeliveries: plan, start with a reason, follow the progress, cancel.',
    'Audit log': 'Administrative actions with actor, target, time and IP address.',
    Emails: 'The emails to customers and whether they were sent.',
    Mailbox: 'Emails captured while no mail server is configured.',
    Health: 'Checks for load balancers and supervisors.',
  },
};

export const operatorApi: ApiTexts = {
  title: 'Gatehouse operator API',
  description: `The API of the operator console. It is not stable: routes may change in any version.

Requests require the session cookie of a signed-in operator. Requests that change something also require the header
\`X-Gatehouse-Console: 1\` and must come from the origin of the console.

${conventions}`,
  tags: { Operators: 'Routes of the operator console.' },
};
