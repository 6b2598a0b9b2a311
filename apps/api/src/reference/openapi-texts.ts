/** The sections of the reference, in their order. A test finds what is missing here. */
export const tags: Record<string, string> = {
  Authentication: 'Register, log in, and what leads there. For pages and apps, with a publishable key.',
  Customer: 'What customers do about themselves, with their access token.',
  Customers: "A project's customers, as servers see them.",
  Imports: 'Customers that come from another system.',
  Organizations: 'The organization of the key, and those that it created.',
  Projects: 'Isolated environments with customers, keys and settings of their own.',
  'API keys': 'The keys of a project. A key mints only within its own access and scopes.',
  Billing: 'The billing portal of an organization.',
  Events: 'What happened, oldest first: the same bodies as the webhooks.',
  'Webhook endpoints': 'Where events are delivered to.',
  'Webhook deliveries': 'Every attempt to deliver an event, and the way to have it delivered again.',
  'Webhook redeliveries':
    'Many deliveries again at once: planned, started with a reason, with progress, and cancelled if need be.',
  Operators: 'What the console does, with the session of an operator who is signed in.',
  'Audit log': 'Who did what, to what, from where and when.',
  Mailbox: 'The mails of a house without a mail server.',
  Health: 'For load balancers and supervisors.',
};

/** What is true for every operation. */
export const aboutTheApi = `Customer authentication and identity, with webhook delivery.

There are two families. Below \`/api/v1\` names are camelCase, resources stand bare, and lists are
\`{"data", "nextCursor", "hasMore"}\`. Below \`/v1\` names are snake_case, every body has \`success\` and \`data\`, and ids
have a prefix.

**Lists** take \`limit\` (1 to 200) and the \`cursor\` of the page before. **Times** are ISO 8601 in UTC. **Bodies** are
JSON of at most 64 KiB; an unknown field or query parameter is refused. A **PATCH** is a merge patch (RFC 7396).

**Errors** are problem documents (RFC 9457); \`code\` is one of a closed list, which [docs/errors](docs/errors)
explains. Beside what an operation names, whatever is asked of a path can be answered 404 \`not_found\`, 405
\`method_not_allowed\` with \`Allow\`, 408 \`request_timeout\` and 431 \`headers_too_large\`, and a body that nobody asked
for 400 \`invalid_json\`, 413 \`payload_too_large\` and 415 \`unsupported_media_type\`. HEAD is answered like GET.

Every answer has \`X-Request-Id\`, by which it is found in the log. Later versions may add members and values; let
through what you do not know.`;
