import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { strictAjv } from '../test/support/json-schemas.mjs';

const FOLDER = 'ops/helm/gatehouse';
const read = (name) => fs.readFileSync(path.join(FOLDER, name), 'utf8');
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges values as Helm does: objects are merged, everything else is replaced. */
const merge = (base, changes) =>
  Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(changes)])].map((name) => {
      if (isObject(base[name]) && isObject(changes[name])) return [name, merge(base[name], changes[name])];
      return [name, Object.hasOwn(changes, name) ? changes[name] : base[name]];
    }),
  );

/** Values that the schema must reject, with a part of the message. */
const REJECTED = [
  [{ image: { repository: '' } }, '/image/repository'],
  [{ settings: { PUBLIC_ULR: 'https://auth.example.com' } }, '/settings property name'],
  [{ settings: { SMTP_URL: 'smtps://user:password@example.com' } }, '/settings property name'],
  [{ settings: { DOCS: false } }, '/settings/DOCS'],
  [{ secret: { keys: ['DATABASE_URL', 'SMTP_URL'] } }, '/secret/keys'],
  [{ externalSecret: { enabled: true } }, '/externalSecret/store/name'],
  [{ ingress: { enabled: true } }, "/settings must have required property 'TRUSTED_PROXIES'"],
  [{ replicas: 3 }, 'additional properties'],
];

/**
 * Checks the Helm chart without Helm: test/contract/helm-chart.nightly.spec.ts renders it.
 * @returns {string[]} problems
 */
export function findChartProblems({ settings, loadConfig }) {
  const problems = [];
  const expect = (isAsExpected, problem) => {
    if (!isAsExpected) problems.push(`${FOLDER}: ${problem}`);
  };
  const { version } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
  const chart = load(read('Chart.yaml'));
  for (const name of ['version', 'appVersion'])
    expect(chart[name] === version, `${name} ${chart[name]} instead of ${version}`);

  const ajv = strictAjv({ strictRequired: false, strictTypes: false });
  const validate = ajv.compile(JSON.parse(read('values.schema.json')));
  const findErrors = (values) => (validate(values) ? '' : ajv.errorsText(validate.errors, { dataVar: '' }));
  const defaults = load(read('values.yaml'));
  for (const file of fs.readdirSync(path.join(FOLDER, 'ci'))) {
    const values = merge(defaults, load(read(`ci/${file}`)));
    expect(findErrors(values) === '', `${file}: ${findErrors(values)}`);
    const environment = { ...values.settings, ...secretExamples(values.secret.keys) };
    const texts = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, `${value}`]));
    expect(loadConfig(texts).production, `${file}: not for production`);
  }
  const minimal = merge(defaults, load(read('ci/minimal-values.yaml')));
  for (const [changes, message] of REJECTED) {
    const errors = findErrors(merge(minimal, changes));
    expect(errors.includes(message), `${JSON.stringify(changes)}: ${errors || 'not rejected'}`);
  }

  const documents = [
    'README.md',
    ...fs.readdirSync(path.join(FOLDER, 'templates')).map((name) => `templates/${name}`),
  ];
  for (const file of documents)
    for (const [name] of read(file).matchAll(/\b[A-Z]{2,}(?:_[A-Z]+)+\b/g))
      expect(Object.hasOwn(settings, name.replace(/_FILE$/, '')), `${file}: ${name} is not a setting`);
  return problems;
}

/** Returns a valid value for each setting in the Secret. */
function secretExamples(names) {
  const examples = {
    DATABASE_URL: 'postgres://gatehouse_runtime@db.example.com/gatehouse?sslmode=verify-full',
    MIGRATE_DATABASE_URL: 'postgres://gatehouse@db.example.com/gatehouse?sslmode=verify-full',
    REDIS_URL: 'rediss://:Xw3-kLp9@redis.example.com',
    GATEHOUSE_SECRET: randomBytes(32).toString('hex'),
    SMTP_URL: 'smtps://mailer:Xw3-kLp9@mail.example.com',
    ALERT_WEBHOOK_URL: 'https://hooks.example.com/gatehouse',
  };
  return Object.fromEntries(names.map((name) => [name, examples[name]]));
}
