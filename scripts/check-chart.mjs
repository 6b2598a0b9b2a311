import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { load } from 'js-yaml';
import { strictAjv } from '../test/support/json-schemas.mjs';

const FOLDER = 'ops/helm/gatehouse';
/** Node.js environment variables that the chart sets. */
const NODE_VARIABLES = ['NODE_EXTRA_CA_CERTS'];
const read = (name) => fs.readFileSync(path.join(FOLDER, name), 'utf8');
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges values like Helm: merges objects and replaces everything else. */
const merge = (base, changes) =>
  Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(changes)])].map((name) => {
      if (isObject(base[name]) && isObject(changes[name])) return [name, merge(base[name], changes[name])];
      return [name, Object.hasOwn(changes, name) ? changes[name] : base[name]];
    }),
  );

/** Values that the schema must reject, each with part of the expected message. */
const REJECTED = [
  [{ image: { repository: '' } }, '/image/repository'],
  [{ settings: { PUBLIC_ULR: 'https://auth.example.com' } }, '/settings property name'],
  [{ settings: { SMTP_URL: 'smtps://user:password@example.com' } }, '/settings property name'],
  [{ settings: { DOCS: false } }, '/settings/DOCS'],
  [{ secret: { keys: ['DATABASE_URL', 'SMTP_URL'] } }, '/secret/keys'],
  [{ externalSecret: { enabled: true } }, '/externalSecret/store/name'],
  [{ ingress: { enabled: true } }, "/settings must have required property 'TRUSTED_PROXIES'"],
  [{ replicas: 3 }, 'additional properties'],
  [{ affinity: { nodeSelector: {} } }, '/affinity must NOT have additional properties'],
  [{ topologySpreadConstraints: [{ topologyKey: 'zone' }] }, "must have required property 'maxSkew'"],
  [{ extraVolumes: [{ name: 'tmp', emptyDir: {} }] }, '/extraVolumes/0/name'],
  [{ extraVolumeMounts: [{ name: 'ca', mountPath: 'etc/ca' }] }, '/extraVolumeMounts/0/mountPath'],
  [{ extraCaCertificates: '/etc/ca.crt' }, '/extraVolumeMounts must NOT have fewer than 1 items'],
  [{ networkPolicy: { postgresql: { to: [] } } }, '/networkPolicy/postgresql/to'],
  [{ networkPolicy: { dns: { to: [] } } }, '/networkPolicy/dns/to'],
  [{ networkPolicy: { internet: { to: [] } } }, '/networkPolicy/internet/to'],
  [{ networkPolicy: { internet: { ports: [] } } }, '/networkPolicy/internet/ports'],
  [{ networkPolicy: { smtp: { to: [{}] } } }, '/networkPolicy/smtp/to/0'],
  [{ networkPolicy: { others: [{ ports: [{ port: 4318 }] }] } }, "must have required property 'to'"],
  [{ networkPolicy: { others: [{ to: [{ podSelector: {} }] }] } }, "must have required property 'ports'"],
  [
    { secret: { keys: ['DATABASE_URL', 'GATEHOUSE_SECRET', 'SMTP_URL', 'REDIS_URL'] } },
    '/networkPolicy/redis/to',
  ],
];

/** Metadata service addresses, then private, local, reserved, embedded IPv4 and public addresses. */
const ADDRESSES = [
  ...[
    '100.100.100.200',
    '168.63.129.16',
    '169.254.169.254',
    '192.0.0.192',
    'fd00:42::42',
    'fd00:ec2::254',
    'fd20:ce::254',
  ],
  ...[
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '127.0.0.1',
    '::1',
    'fe80::1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...['::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::', '2001:0:a00:1::', '93.184.216.34', '2606:4700::1'],
];

/**
 * Checks the Helm chart without Helm. test/contract/helm-chart.nightly.spec.ts renders the chart.
 * @returns {string[]} problems
 */
export function findChartProblems({ settings, loadConfig, isAllowedAddress }) {
  const problems = [];
  const expect = (isAsExpected, problem) => {
    if (!isAsExpected) problems.push(`${FOLDER}: ${problem}`);
  };
  const { version } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
  const chart = load(read('Chart.yaml'));
  for (const name of ['version', 'appVersion'])
    expect(chart[name] === version, `${name} is ${chart[name]}, expected ${version}`);

  const ajv = strictAjv({ strictRequired: false, strictTypes: false });
  const validate = ajv.compile(JSON.parse(read('values.schema.json')));
  const findErrors = (values) => (validate(values) ? '' : ajv.errorsText(validate.errors, { dataVar: '' }));
  const defaults = load(read('values.yaml'));
  for (const file of fs.readdirSync(path.join(FOLDER, 'ci'))) {
    const values = merge(defaults, load(read(`ci/${file}`)));
    expect(findErrors(values) === '', `${file}: ${findErrors(values)}`);
    const environment = { ...values.settings, ...secretExamples(values.secret.keys) };
    const texts = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, `${value}`]));
    expect(loadConfig(texts).production, `${file}: must be a production configuration`);
  }
  const minimal = merge(defaults, load(read('ci/minimal-values.yaml')));
  for (const [changes, message] of REJECTED) {
    const errors = findErrors(merge(minimal, changes));
    expect(errors.includes(message), `${JSON.stringify(changes)}: ${errors || 'not rejected'}`);
  }
  const withoutPolicies = merge(minimal, { networkPolicy: { enabled: false, postgresql: { to: [] } } });
  expect(findErrors(withoutPolicies) === '', `without policies: ${findErrors(withoutPolicies)}`);
  const blocks = defaults.networkPolicy.internet.to.map(({ ipBlock }) => ipBlock);
  const edges = blocks.flatMap(({ cidr, except }) => [cidr, ...except]).flatMap(findEdges);
  for (const address of [...ADDRESSES, ...edges]) {
    const isAllowed = isAllowedAddress(address, { production: true, allowedCidrs: [] });
    expect(
      includesAddress(blocks, address) === isAllowed,
      `values.yaml: internet: ${address}: allowed by only one of the NetworkPolicy and isAllowedAddress`,
    );
  }

  const documents = [
    'README.md',
    ...fs.readdirSync(path.join(FOLDER, 'templates')).map((name) => `templates/${name}`),
  ];
  for (const file of documents)
    for (const [name] of read(file).matchAll(/\b[A-Z]{2,}(?:_[A-Z]+)+\b/g))
      expect(
        Object.hasOwn(settings, name.replace(/_FILE$/, '')) || NODE_VARIABLES.includes(name),
        `${file}: ${name} is not a setting`,
      );
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

/** Returns the first and last address of a range, and the addresses just before and after it. */
function findEdges(cidr) {
  const [address, bits] = ipaddr.parseCIDR(cidr);
  const length = address.toByteArray().length;
  const first = BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`);
  const size = 1n << BigInt(length * 8 - bits);
  return [first - 1n, first, first + size - 1n, first + size]
    .filter((value) => value >= 0n && value < 1n << BigInt(length * 8))
    .map((value) => {
      const bytes = Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
      return ipaddr.fromByteArray([...bytes]).toString();
    });
}

/** Returns true if a NetworkPolicy with these blocks allows an address. */
function includesAddress(blocks, address) {
  const ip = ipaddr.parse(address);
  const isWithin = (cidr) => {
    const [range, bits] = ipaddr.parseCIDR(cidr);
    return range.kind() === ip.kind() && ip.match(range, bits);
  };
  return blocks.some(({ cidr, except }) => isWithin(cidr) && !except.some(isWithin));
}
