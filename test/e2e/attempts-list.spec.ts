import { checkCases } from '../support/check-cases.js';
import { insertEndpoint } from '../support/instance-log.js';
import { TestInstance } from '../support/test-instance.js';
import { insertDays, insertDeliveries, type PastDelivery } from '../support/past.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';

const DAYS = 6;
const DELIVERIES = 2_500;
const PATH = '/v1/webhooks/deliveries';

/** An attempt as the test knows it. */
interface Known {
  id: string;
  at: number;
  status: number;
  delivery: PastDelivery & { id: string; eventId: string };
}

let instance: TestInstance;
let keys: { organization: string; project: string; child: string; foreign: string };
let endpoints: Record<'first' | 'second' | 'whole' | 'child' | 'foreign', string>;
let projects: Record<'main' | 'child' | 'foreign', string>;
let known: Known[];

const ask = async (query: Record<string, string>, key = keys.organization) => {
  const answer = await instance.request('GET', `${PATH}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  return answer.body as { data: { id: string }[]; next_cursor: string | null; has_more: boolean };
};

/** Every page of a list, to its end. */
async function read(query: Record<string, string>, key?: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  for (let cursor = '', pages = 1; ; pages += 1) {
    const page = await ask({ limit: '200', ...query, ...(cursor ? { cursor } : {}) }, key);
    ids.push(...page.data.map(({ id }) => id));
    expect(page.has_more).toBe(page.next_cursor !== null);
    if (page.next_cursor === null) return { ids, pages };
    cursor = page.next_cursor;
  }
}

const matching = (matches: (attempt: Known) => boolean): string[] =>
  known
    .filter(matches)
    .map(({ id }) => `att_${id}`)
    .sort()
    .reverse();

const ofOrganization = ({ delivery }: Known): boolean => delivery.endpointId !== endpoints.foreign;
const ofProject = ({ delivery }: Known): boolean =>
  [endpoints.first, endpoints.second].includes(delivery.endpointId);

/** The owner of what each endpoint hears. */
type Owner = Pick<PastDelivery, 'endpointId' | 'projectId' | 'organizationId'>;

async function insertLog(owners: Owner[]): Promise<void> {
  const begin = Date.now() - DAYS * 86_400_000;
  const deliveries = Array.from({ length: DELIVERIES }, (_, index): PastDelivery => {
    const at = begin + index * ((DAYS * 86_400_000 - 3_600_000) / DELIVERIES);
    const state = index % 11 === 0 ? 'failed' : index % 13 === 0 ? 'cancelled' : 'succeeded';
    const failed = index % 2 ? 500 : index % 3 ? 404 : 0;
    const statuses = {
      failed: Array<number>(5).fill(failed),
      cancelled: [failed],
      succeeded: [index % 17 ? 200 : 204],
    };
    return {
      ...owners[index % owners.length]!,
      eventType: ['customer.created', 'session.created', 'customer.deleted'][index % 50 ? index % 2 : 2]!,
      state,
      // One that hardly anything is like, far down.
      attempts: (index === 121 ? [418] : statuses[state]).map((status, nth) => ({
        at: at + nth * 60_000,
        status,
      })),
    };
  });
  const inserted = await insertDeliveries(instance, deliveries);
  known = inserted.flatMap(({ id, eventId, attemptIds }, index) =>
    attemptIds.map((attemptId, nth) => ({
      id: attemptId,
      ...deliveries[index]!.attempts[nth]!,
      delivery: { ...deliveries[index]!, id, eventId },
    })),
  );
}

beforeAll(async () => {
  instance = await TestInstance.shared({ workers: 0 });
  const { organizationId, projectId, secretKey, projectSecretKey } = instance.credentials;
  const foreign = await insertOrganization(instance);
  const childOrganization = await insertOrganization(instance);
  await instance.sql('UPDATE organizations SET parent_id = $1 WHERE id = $2', [
    organizationId,
    childOrganization.organizationId,
  ]);
  const child = await insertProject(instance, childOrganization.organizationId);
  projects = { main: projectId, child: child.projectId, foreign: foreign.projectId };
  keys = {
    organization: secretKey,
    project: projectSecretKey,
    child: await insertKey(instance, { ...child, type: 'secret', access: 'organization' }),
    foreign: foreign.secretKey,
  };
  const hear = async (ofOrganizationId: string, ofProjectId: string | null): Promise<string> =>
    insertEndpoint(instance, ofOrganizationId, ofProjectId, 'https://example.com/');
  endpoints = {
    first: await hear(organizationId, projects.main),
    second: await hear(organizationId, projects.main),
    whole: await hear(organizationId, null),
    child: await hear(child.organizationId, projects.child),
    foreign: await hear(foreign.organizationId, projects.foreign),
  };
  await insertDays(instance, Date.now() - (DAYS + 1) * 86_400_000);
  await insertLog([
    ...[endpoints.first, endpoints.second, endpoints.whole].map((endpointId) => ({
      endpointId,
      projectId: projects.main,
      organizationId,
    })),
    { endpointId: endpoints.child, ...child },
    { endpointId: endpoints.foreign, ...foreign },
  ]);
});
afterAll(async () => instance?.stop());

describe('the log of attempts', () => {
  it('shows each key the attempts within its reach, newest first, page by page', async () => {
    expect((await read({})).ids).toEqual(matching(ofOrganization));
    expect((await read({ limit: '33' }, keys.project)).ids).toEqual(matching(ofProject));
    for (const name of ['child', 'foreign'] as const) {
      const own = matching(({ delivery }) => delivery.endpointId === endpoints[name]);
      expect((await read({}, keys[name])).ids).toEqual(own);
    }
  });

  it('finds exactly the attempts that match a filter, for an organization and for a project', async () => {
    const middle = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const dayBefore = new Date(Date.now() - 4 * 86_400_000).toISOString();
    const [isAfter, isBefore] = [
      ({ at }: Known) => at > Date.parse(dayBefore),
      ({ at }: Known) => at < Date.parse(middle),
    ];
    const isFailed = ({ status }: Known): boolean => status < 200 || status > 299;
    const isAt = (name: keyof typeof endpoints) => (attempt: Known) =>
      attempt.delivery.endpointId === endpoints[name];
    const { first, second, whole, foreign } = endpoints;
    const filters: [Record<string, string>, (attempt: Known) => boolean][] = [
      [{ project_id: projects.child }, isAt('child')],
      [{ project_id: projects.foreign }, () => false],
      [{ endpoint_id: `ep_${second}` }, isAt('second')],
      [{ endpoint_id: `ep_${foreign}` }, () => false],
      [{ endpoint_id: `ep_${whole}`, project_id: projects.main }, isAt('whole')],
      [{ event: 'customer.deleted' }, ({ delivery }) => delivery.eventType === 'customer.deleted'],
      [{ success: 'false' }, isFailed],
      [{ success: 'true' }, (attempt) => !isFailed(attempt)],
      [{ delivery_state: 'failed' }, ({ delivery }) => delivery.state === 'failed'],
      [{ delivery_state: 'succeeded' }, ({ delivery }) => delivery.state === 'succeeded'],
      [{ delivery_state: 'pending' }, () => false],
      [{ delivery_state: 'succeeded', success: 'false' }, () => false],
      [{ http_status: '404' }, ({ status }) => status === 404],
      [{ http_status: '204' }, ({ status }) => status === 204],
      [{ http_status: '418' }, ({ status }) => status === 418],
      [{ status_class: '5xx' }, ({ status }) => status >= 500],
      [{ status_class: 'none' }, ({ status }) => status === 0],
      [
        { created_after: dayBefore, created_before: middle },
        (attempt) => isAfter(attempt) && isBefore(attempt),
      ],
      [
        { endpoint_id: `ep_${first}`, success: 'false', created_after: dayBefore },
        (attempt) => isAt('first')(attempt) && isFailed(attempt) && isAfter(attempt),
      ],
      [{ created_after: middle, created_before: dayBefore }, () => false],
    ];
    const cases = filters.map(
      ([query, matches]) => [new URLSearchParams(query).toString(), query, matches] as const,
    );
    await checkCases(
      cases,
      async (query, matches) => {
        for (const [key, isWithin] of [
          [keys.organization, ofOrganization],
          [keys.project, ofProject],
        ] as const) {
          const expected = matching((attempt) => isWithin(attempt) && matches(attempt));
          expect((await read(query, key)).ids).toEqual(expected);
        }
      },
      5,
    );
  });

  it('finds the attempts of a delivery and of an event, for those whose they are', async () => {
    for (const attempt of [known[0]!, known[121]!, known.at(-1)!]) {
      const { delivery } = attempt;
      const ids = matching((each) => each.delivery.id === delivery.id);
      const seen = ofOrganization(attempt) ? ids : [];
      expect((await read({ delivery_id: `dlv_${delivery.id}` })).ids).toEqual(seen);
      expect((await read({ event_id: `evt_${delivery.eventId}` })).ids).toEqual(seen);
      expect((await read({ event_id: `evt_${delivery.eventId}`, limit: '1' })).ids).toEqual(seen);
      const mine = ofProject(attempt) ? ids : [];
      expect((await read({ delivery_id: `dlv_${delivery.id}` }, keys.project)).ids).toEqual(mine);
    }
  });

  it('looks at a part of the log at a time: a page may be short, or empty, and the next one goes on', async () => {
    const { ids, pages } = await read({ http_status: '418' });
    expect(ids).toHaveLength(1);
    const some = await read({ event: 'customer.deleted' });
    expect(some.pages).toBeGreaterThan(1);
    expect(pages).toBeLessThan(5);
  });

  it('says nothing of others: what is not within the reach has no further page', async () => {
    const nothing = { data: [], has_more: false };
    expect(await ask({ endpoint_id: `ep_${endpoints.foreign}` })).toMatchObject(nothing);
    expect(await ask({ endpoint_id: `ep_${endpoints.whole}` }, keys.project)).toMatchObject(nothing);
  });

  // The last one: it adds to the log.
  it('finds an attempt in one of two spans that meet, also of a worker whose clock is ahead', async () => {
    const at = Date.now() - 86_400_000;
    const target = { endpointId: endpoints.first, projectId: projects.main };
    const [inserted] = await insertDeliveries(instance, [
      { ...target, state: 'succeeded', attempts: [{ at, status: 200 }] },
    ]);
    const { eventId, attemptIds } = inserted!;
    // The id is of the worker, the time of PostgreSQL.
    await instance.sql(
      `UPDATE attempts SET started_at = started_at - interval '5 ms' WHERE id = $1`,
      attemptIds,
    );
    const between = new Date(at - 2).toISOString();
    const found = async (span: Record<string, string>) =>
      (await read({ event_id: `evt_${eventId}`, ...span })).ids;
    expect(await found({ created_before: between })).toEqual([`att_${attemptIds[0]}`]);
    expect(await found({ created_after: between })).toEqual([]);
  });
});
