import type { TestInstance } from '../support/test-instance.js';

/** The first name of one in four customers, and the beginning of their email addresses. */
export const FIRST_NAME = 'anna';
export const EMAIL_PREFIX = 'anna.';
/** The beginnings of a first and a last name. Six in ten last names begin with an M. */
export const FULL_NAME = 'anna m';
export const LAST_NAME = 'mü';

/** Seconds between the creation of two customers. */
const SECONDS_APART = 20;

/**
 * Inserts customers into an instance's project, spread over time. Seven in ten are verified, one in a thousand is
 * disabled, every other one has an external id, and two in three have logged in.
 */
export async function seedCustomers(instance: TestInstance, count: number): Promise<void> {
  await instance.sql(
    `INSERT INTO customers (id, project_id, external_id, email, first_name, last_name, email_verified, password_hash,
       metadata, disabled_at, last_login_at, created_at, updated_at)
     SELECT
       (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
       $1, CASE WHEN n % 2 = 0 THEN 'crm-' || n END, lower(first) || '.' || n || '@example.com', first, last,
       n % 10 < 7, '$seed$' || repeat(md5(n::text), 3), '{"plan":"pro"}',
       CASE WHEN n % 1000 = 0 THEN at END, CASE WHEN n % 3 > 0 THEN least(at + n * 7919 % 86400 * interval '1 min', now()) END,
       at, at
     FROM (
       SELECT n, now() - ($2 - n) * $3::int * interval '1 second' AS at,
         (ARRAY['Anna', 'Boris', 'Clara', 'David'])[1 + n % 4] AS first,
         CASE WHEN n % 5 < 3 THEN 'Mü' ELSE (ARRAY['Ek', 'Sand', 'Vinter'])[1 + n % 3] END || substr(md5(n::text), 1, 6) AS last
       FROM generate_series(1, $2::bigint) n
     ) people`,
    [instance.credentials.projectId, count, SECONDS_APART],
  );
  await instance.sql('VACUUM ANALYZE customers');
}

/** Inserts additional projects into an instance's organization, each with a few customers. */
export async function seedProjects(
  instance: TestInstance,
  count: number,
  customersEach: number,
): Promise<void> {
  await instance.sql(
    `INSERT INTO projects (id, organization_id, name, slug)
     SELECT gen_random_uuid(), $1, 'Project ' || n, 'seed-' || n FROM generate_series(1, $2) n`,
    [instance.credentials.organizationId, count],
  );
  await instance.sql(
    `INSERT INTO customers (id, project_id, email, first_name, last_name, created_at)
     SELECT gen_random_uuid(), p.id, 'anna.' || n || '@example.com', 'Anna', 'Möller', now() - n * interval '1 day'
     FROM projects p, generate_series(1, $1) n WHERE p.slug LIKE 'seed-%'`,
    [customersEach],
  );
  await instance.sql('VACUUM ANALYZE projects');
}

/**
 * Inserts additional organizations, each with a project. Its customers' names and creation times are similar to those
 * from `seedCustomers`.
 */
export async function seedOrganizations(
  instance: TestInstance,
  count: number,
  customersEach: number,
): Promise<void> {
  await instance.sql(
    `WITH organizations AS (
       INSERT INTO organizations (id, name, slug)
       SELECT gen_random_uuid(), 'Company ' || n, 'company-' || n FROM generate_series(1, $1) n RETURNING id, name, slug)
     INSERT INTO projects (id, organization_id, name, slug) SELECT gen_random_uuid(), id, name, slug FROM organizations`,
    [count],
  );
  await instance.sql(
    `INSERT INTO customers (id, project_id, external_id, email, first_name, last_name, email_verified, last_login_at,
       created_at)
     SELECT gen_random_uuid(), p.id, 'crm-' || n, 'anna.' || n || '@' || p.slug || '.example', 'Anna', 'Müller',
       n % 10 < 7, CASE WHEN n % 3 > 0 THEN now() - random() * interval '30 days' END,
       now() - random() * interval '200 days'
     FROM projects p, generate_series(1, $1) n WHERE p.slug LIKE 'company-%'`,
    [customersEach],
  );
  for (const table of ['organizations', 'projects', 'customers'])
    await instance.sql(`VACUUM ANALYZE ${table}`);
}
