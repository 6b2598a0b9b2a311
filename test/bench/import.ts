import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { BenchInstance } from './bench-instance.js';
import { Child } from './child.js';
import type { LoginSample, LoginLoad, ImportUpload } from './import-clients.js';
import { formatNumber, median, percentile, printProgress, type SectionResult } from './report.js';
import {
  createPasswordHashes,
  measureSource,
  newDomain,
  systemNames,
  type SourceResult,
} from './import-sources.js';
import { registerCustomers } from './requests.js';

const CUSTOMERS = 100_000;
const COST = 10;
const LOGINS_PER_SECOND = 8;
const BASELINE_MS = 20_000;
const WARM_UP = 5_000;
/** Number of imports of each kind without logins. */
const REPETITIONS = 3;
/** The name of an import that sends prepared lines, without the command line. */
const LINES = 'lines';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Stage {
  instance: TestInstance;
  sender: Child;
  logins: Child;
  loginLoad: LoginLoad;
  passwordHashes: string[];
}

/**
 * Measures an import of 100,000 customers while other customers log in, and one that is aborted halfway and resumed.
 * Then measures imports without logins: prepared lines, and the command line, which reads other systems' files. Each
 * import without logins starts with a new database, as when customers move to a new installation.
 */
export async function measureImport(): Promise<SectionResult> {
  const result = await withStage(async (stage) => {
    printProgress('logins alone');
    const alone = await withLogins(stage, () => sleep(BASELINE_MS));
    printProgress('logins during an import');
    const duringImport = await withLogins(stage, () => runImport(stage, { count: CUSTOMERS }));
    printProgress('an import that is aborted and resumed');
    const resumed = await withLogins(stage, () => abortAndResume(stage));
    return report(alone.samples, duringImport, resumed);
  });
  return addQuietImports(result, await measureQuietImports());
}

/** An import without logins. */
interface QuietImport extends SourceResult {
  /** The system of the imported files, or LINES. */
  name: string;
}

/** Imports prepared lines, and each system's files with the command line, several times in turn. */
async function measureQuietImports(): Promise<QuietImport[]> {
  const imports: QuietImport[] = [];
  for (let repetition = 1; repetition <= REPETITIONS; repetition += 1) {
    for (const name of [LINES, ...systemNames]) {
      printProgress(`${repetition} of ${REPETITIONS}: an import of ${name}, without logins`);
      const { perSecond, created } = await withStage<SourceResult>((stage) =>
        name === LINES
          ? runImport(stage, { count: CUSTOMERS })
          : measureSource(stage.instance, name, stage.passwordHashes, CUSTOMERS),
      );
      imports.push({ name, perSecond, created });
    }
  }
  return imports;
}

/** Starts an instance, warms it up with a small import, and runs a part of the benchmark with it. */
async function withStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  const bench = await BenchInstance.start({ env: { BCRYPT_COST: String(COST) } });
  const [sender, logins] = [new Child('import-clients'), new Child('import-clients')];
  try {
    bench.startWorker();
    const { instance } = bench;
    const loginLoad: LoginLoad = {
      url: `${instance.baseUrl}/api/v1/auth/login`,
      headers: { 'x-publishable-key': instance.credentials.publishableKey },
      emails: await registerCustomers(instance, 40),
      password: PASSWORD,
      perSecond: LOGINS_PER_SECOND,
    };
    const stage: Stage = { instance, sender, logins, loginLoad, passwordHashes: createPasswordHashes() };
    await withLogins(stage, () => runImport(stage, { count: WARM_UP }));
    return await work(stage);
  } finally {
    await Promise.all([sender.stop(), logins.stop(), bench.stop()]);
  }
}

interface ImportResult {
  perSecond: number;
  created: number;
  /** Number of customers in the database. */
  stored: number;
  lastLine: number;
}

interface ResumedImportResult extends ImportResult {
  abortedAt: number;
  skipped: number;
}

async function runImport(stage: Stage, { count }: { count: number }): Promise<ImportResult> {
  const domain = newDomain();
  const started = performance.now();
  const { created, lastLine } = await sendAll(stage, { domain, count, importId: randomUUID() });
  const seconds = (performance.now() - started) / 1_000;
  return { perSecond: count / seconds, created, lastLine, stored: await countStored(stage, domain) };
}

async function abortAndResume(stage: Stage): Promise<ResumedImportResult> {
  const [domain, importId] = [newDomain(), randomUUID()];
  const started = performance.now();
  await stage.sender.call('send', {
    ...buildUpload(stage, domain, CUSTOMERS, importId),
    disconnectAfter: CUSTOMERS / 2,
  });
  const interrupted = await eventually('the end of the aborted import', async () => {
    const { body } = await stage.instance.requestWithSecretKey('GET', `/api/v1/imports/${importId}`);
    return body.state === 'interrupted' && body;
  });
  const { created, skipped, lastLine } = await sendAll(stage, { domain, count: CUSTOMERS, importId });
  const seconds = (performance.now() - started) / 1_000;
  return {
    perSecond: CUSTOMERS / seconds,
    created,
    skipped,
    lastLine,
    abortedAt: interrupted.lastLine,
    stored: await countStored(stage, domain),
  };
}

const buildUpload = (
  { instance, passwordHashes }: Stage,
  domain: string,
  count: number,
  importId: string,
): ImportUpload => ({
  url: `${instance.baseUrl}/api/v1/customers/import?importId=${importId}`,
  headers: { authorization: `Bearer ${instance.credentials.secretKey}` },
  domain,
  count,
  passwordHashes,
});

async function sendAll(
  stage: Stage,
  { domain, count, importId }: { domain: string; count: number; importId: string },
): Promise<{ created: number; skipped: number; lastLine: number }> {
  const upload = buildUpload(stage, domain, count, importId);
  const response = await stage.sender.call<{ status: number; body: any }>('send', upload);
  if (response.status !== 200) throw new Error(`an import was rejected: ${JSON.stringify(response.body)}`);
  return response.body;
}

async function countStored({ instance }: Stage, domain: string): Promise<number> {
  const [row] = await instance.sql<{ count: number }>(
    'SELECT count(*)::int AS count FROM customers WHERE email LIKE $1',
    [`%@${domain}`],
  );
  return row!.count;
}

async function withLogins<T>(
  { logins, loginLoad }: Stage,
  work: () => Promise<T>,
): Promise<{ value: T; samples: LoginSample[] }> {
  await logins.call('startLogins', loginLoad);
  const value = await work();
  return { value, samples: await logins.call<LoginSample[]>('stopLogins') };
}

const countRejected = (samples: LoginSample[]): number =>
  samples.filter(({ status }) => status !== 200).length;
const rejectedShare = (samples: LoginSample[]): number => (100 * countRejected(samples)) / samples.length;
const p99 = (samples: LoginSample[]): number =>
  percentile(
    samples.map(({ ms }) => ms),
    0.99,
  );

function report(
  alone: LoginSample[],
  duringImport: { value: ImportResult; samples: LoginSample[] },
  resumed: { value: ResumedImportResult; samples: LoginSample[] },
): SectionResult {
  const spread = (samples: LoginSample[]): string =>
    [0.5, 0.99, 1]
      .map((share) =>
        formatNumber(
          percentile(
            samples.map(({ ms }) => ms),
            share,
          ),
        ),
      )
      .join(' / ');
  const all = [alone, duringImport.samples, resumed.samples];
  const imports = [duringImport.value, resumed.value];
  return {
    table: [
      ['', 'no import', 'an import', 'aborted, resumed'],
      ['customers a second', '', ...imports.map(({ perSecond }) => formatNumber(perSecond))],
      ['customers created', '', ...imports.map(({ created }) => String(created))],
      ['customers in the database', '', ...imports.map(({ stored }) => String(stored))],
      ['lines processed when it was aborted', '', '', String(resumed.value.abortedAt)],
      ['logins', ...all.map(({ length }) => String(length))],
      ['rejected logins', ...all.map((samples) => String(countRejected(samples)))],
      ['logins, p50 / p99 / max ms', ...all.map(spread)],
    ],
    notes: [
      `${CUSTOMERS} customers with bcrypt hashes are imported as prepared lines, while ${LOGINS_PER_SECOND} customers a second log in, at cost ${COST}.`,
      'Import client, login clients, api, worker and PostgreSQL share the cores.',
      'The resumed import sends all lines again; its rate counts each line once, including the first half.',
    ],
    targets: [
      {
        name: 'customers imported a second',
        value: duringImport.value.perSecond,
        bound: 5_000,
        direction: 'at least',
        unit: '',
      },
      ...[duringImport, resumed].map(({ samples }, index) => ({
        name: `logins rejected during ${index === 0 ? 'an import' : 'a resumed import'}`,
        value: rejectedShare(samples),
        bound: rejectedShare(alone),
        direction: 'at most' as const,
        unit: ' %',
        isRequired: true as const,
      })),
      {
        name: 'p99 of logins during an import, relative to logins alone',
        value: p99(duringImport.samples) / p99(alone),
        bound: 3,
        direction: 'at most',
        unit: ' times',
      },
      ...(['created', 'stored'] as const).flatMap((field) =>
        imports.map((imported, index) => ({
          name: `customers ${field}, ${index === 0 ? 'in one request' : 'aborted and resumed'}: difference from the expected number`,
          value: Math.abs(imported[field] - CUSTOMERS),
          bound: 0,
          direction: 'at most' as const,
          unit: '',
          isRequired: true as const,
        })),
      ),
    ],
  };
}

/** Adds the medians of imports without logins, and compares the command line with prepared lines. */
function addQuietImports(result: SectionResult, imports: QuietImport[]): SectionResult {
  const ratesOf = (name: string): number[] =>
    imports.filter((each) => each.name === name).map(({ perSecond }) => perSecond);
  const linesRate = median(ratesOf(LINES));
  const row = (name: string): string[] => {
    const rates = ratesOf(name);
    const [lowest, highest] = [Math.min(...rates), Math.max(...rates)];
    return [
      name,
      formatNumber(median(rates)),
      `${formatNumber(lowest)} to ${formatNumber(highest)}`,
      (median(rates) / linesRate).toFixed(2),
    ];
  };
  return {
    ...result,
    table: [
      ...result.table,
      ['without logins', 'customers a second (median)', 'lowest to highest', 'ratio to prepared lines'],
      ...[LINES, ...systemNames].map(row),
    ],
    targets: [
      ...result.targets,
      {
        name: 'customers created without logins: difference from the expected number',
        value: imports.reduce((sum, { created }) => sum + Math.abs(created - CUSTOMERS), 0),
        bound: 0,
        direction: 'at most',
        unit: '',
        isRequired: true,
      },
      ...systemNames.map((system) => ({
        name: `customers a second with the command line, ${system}, median`,
        value: median(ratesOf(system)),
        bound: 5_000,
        direction: 'at least' as const,
        unit: '',
      })),
    ],
  };
}
