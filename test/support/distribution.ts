/**
 * For each table, the column that leads to a row's organization. A distributed database would place the rows by this
 * column (docs/scaling.md). Null means that the table belongs to the installation, not to an organization.
 */
export const distributionColumns: Record<string, string | null> = {
  alert_log: null,
  alerts: null,
  api_keys: 'organization_id',
  apis: null,
  attempt_figures: null,
  attempt_figures_by_endpoint: 'endpoint_id',
  attempt_figures_by_event: null,
  attempts: 'organization_id',
  attempts_counted: null,
  audit_log: 'organization_id',
  audit_retention: null,
  billing_customers: 'organization_id',
  challenges: 'customer_id',
  customer_addresses: 'customer_id',
  customers: 'organization_id',
  deliveries: 'organization_id',
  email_code_attempts: 'project_id',
  email_code_guesses: 'project_id',
  email_codes: 'project_id',
  endpoint_health: 'endpoint_id',
  erasures: 'customer_id',
  event_feed: null,
  events: 'organization_id',
  factor_attempts: 'customer_id',
  idempotency_keys: 'project_id',
  identities: 'project_id',
  identity_provider_domains: 'project_id',
  identity_providers: 'project_id',
  identity_rollup_progress: null,
  identity_rollups: null,
  import_failures: 'project_id',
  imports: 'organization_id',
  installation: null,
  login_attempts: 'project_id',
  mail_templates: 'project_id',
  mails: 'project_id',
  migration_lease: null,
  oauth_flows: 'project_id',
  one_time_tokens: 'customer_id',
  operator_addresses: null,
  operator_flows: null,
  operator_links: null,
  operator_login_attempts: null,
  operator_passkeys: null,
  operator_preferences: null,
  operator_sessions: null,
  operators: null,
  organizations: 'id',
  passkey_ceremonies: 'project_id',
  passkeys: 'project_id',
  process_problems: null,
  projects: 'organization_id',
  reauthentication_codes: 'session_id',
  recovery_codes: 'customer_id',
  redelivery_batches: 'organization_id',
  redelivery_feed: null,
  redelivery_items: 'batch_id',
  saved_views: null,
  sessions: 'customer_id',
  sign_in_exchanges: 'project_id',
  sign_in_flows: 'project_id',
  sign_in_tokens: 'customer_id',
  signing_keys: null,
  totp_factors: 'customer_id',
  used_id_tokens: null,
  webhook_endpoints: 'organization_id',
  webhook_replays: 'organization_id',
  workers: null,
};

/** The rows to which a statement is limited. */
export type StatementScope =
  /** Tables that belong to the installation. */
  | 'installation'
  /** Rows of one organization, project or customer, which a parameter identifies. */
  | 'organization'
  /** An object of one organization, whose id or hash is a parameter. */
  | 'object'
  /** Rows of any organization. */
  | 'all';

const tenantParameter =
  /\b(?:project_id|organization_id|customer_id|p\.id|o\.id|c\.id)\s*=\s*(?:ANY\s*\(\s*|\(SELECT )?\$\d/;
const tenantRange = /\(organization_id, \w*id\)|\(project_id, \w*id\)/;
const tenantInsert =
  /INSERT INTO [a-z_]+(?: AS [a-z]+)? \([^)]*\b(?:project_id|organization_id|customer_id|session_id|parent_id)\b/;
const objectParameter = /\b\w*(?:id|hash|subject)\s*=\s*(?:ANY\s*\(\s*)?\(?\$\d/;

/** A statement that deletes a batch of old rows (`pruneStatement`). */
const prunePattern = /ctid = ANY \(ARRAY\(/;
/** Statements that find stored values by their secret and encrypt them again (`libs/persistence/src/encryption`). */
const reencryptionPattern = / <> ALL \(\$1::text\[\]\)|\(.+, stored, replacement\)/;

/**
 * Returns the rows that a statement can access, and its signature: the verb and the tables that belong to
 * organizations, such as `select customers`.
 */
export function describeScope(text: string): { scope: StatementScope; signature: string } {
  const sql = text.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim();
  const tables = Object.entries(distributionColumns)
    .filter(
      ([name, column]) =>
        column && new RegExp(`(?:FROM|JOIN|INTO|UPDATE|USING|,) (?:ONLY )?${name}\\b`).test(sql),
    )
    .map(([name]) => name);
  const verb = /\b(UPDATE|DELETE|INSERT)\b/.exec(sql)?.[1] ?? 'SELECT';
  const signature = `${verb.toLowerCase()} ${tables.join(', ')}`;
  const maintenance = prunePattern.test(sql) ? 'prune' : reencryptionPattern.test(sql) ? 'reencrypt' : null;
  return { scope: scopeOf(sql, tables), signature: maintenance ?? signature };
}

function scopeOf(sql: string, tables: string[]): StatementScope {
  if (tables.length === 0) return 'installation';
  if ([tenantParameter, tenantRange, tenantInsert].some((pattern) => pattern.test(sql)))
    return 'organization';
  return objectParameter.test(sql) ? 'object' : 'all';
}

/** Statements that read or change rows of several organizations, by the reason. No other statement may do so. */
export const crossOrganizationStatements: Record<string, string[]> = {
  'maintenance of the worker: retention, and new root secrets': ['prune', 'reencrypt'],
  'queues of the worker: claims, outcomes and sweeps of due rows': [
    'insert endpoint_health',
    'select deliveries, identity_provider_domains, mails, redelivery_batches, webhook_endpoints, webhook_replays',
    'select endpoint_health, webhook_endpoints',
    'select mails, projects',
    'update api_keys, projects',
    'update customers, deliveries, events',
    'update customers, events, webhook_replays',
    'update deliveries',
    'update deliveries, redelivery_batches',
    'update deliveries, webhook_endpoints',
    'update erasures',
    'update identity_provider_domains, identity_providers, projects',
    'update identity_provider_domains, projects',
    'update mails',
    'update redelivery_batches',
    'update webhook_endpoints',
    'update webhook_replays',
  ],
  'repairs and partitions: batches in an id range': [
    'insert attempts',
    'select identity_provider_domains',
    'update attempts, deliveries',
    'update deliveries, events',
    'update events',
  ],
  'checks of stored host names on the command line': ['select identity_providers', 'select organizations'],
  'rollups, metrics, alerts and health of the installation': [
    'insert attempt_figures_by_endpoint, attempts',
    'insert events',
    'select customers, passkeys, totp_factors',
    'select deliveries',
    'select deliveries, email_code_guesses, mails, webhook_endpoints',
    'select deliveries, endpoint_health, mails, webhook_endpoints',
    'select deliveries, mails, webhook_endpoints',
  ],
  'lists, counts and searches by operators, and by keys whose organization has child organizations': [
    'insert customers, deliveries, events, redelivery_items, webhook_endpoints',
    'select api_keys, organizations, projects, webhook_endpoints',
    'select attempts',
    'select attempts, customers, deliveries, events, webhook_endpoints',
    'select attempts, deliveries',
    'select attempts, deliveries, events',
    'select attempts, deliveries, webhook_endpoints',
    'select audit_log',
    'select audit_log, customers, events, mails',
    'select customers',
    'select customers, deliveries, events, webhook_endpoints',
    'select customers, events',
    'select customers, factor_attempts, login_attempts, projects',
    'select customers, events, webhook_replays',
    'select deliveries, events',
    'select deliveries, events, webhook_endpoints',
    'select deliveries, redelivery_batches',
    'select deliveries, webhook_endpoints',
    'select events',
    'select mails',
    'select projects',
    'select redelivery_batches',
    'select webhook_endpoints',
  ],
  'commands on the server: the keys created at the first start': ['update api_keys, organizations'],
  'the project whose passkeys are bound to the host of the installation': ['select organizations, projects'],
};
