import { randomUUID } from 'node:crypto';
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

async function insertLog(): Promise<void> {
  const { organizationId } = instance.credentials;
  const targets: Pick<PastDelivery, 'endpointId' | 'projectId' | 'organizationId'>[] = [
    { endpointId: endpoints.first, projectId: projects.main },
    { endpointId: endpoints.second, projectId: projects.main },
    { endpointId: endpoints.whole, projectId: projects.main },
    { endpointId: endpoints.child, projectId: projects.child },
    { endpointId: endpoints.foreign, projectId: projects.foreign },
  ];
  const organizations = await instance.sql<{ id: string; organizationId: string }>(
    'SELECT id, organization_id AS "organizationId" FROM projects',
  );
  const begin = Date.now() - DAYS * 86_400_000;
  const deliveries = Array.from({ length: DELIVERIES }, (_, index): PastDelivery => {
    const at = begin + index * ((DAYS * 86_400_000 - 3_600_000) / DELIVERIES);
    const target = targets[index % targets.length]!;
    const state = index % 11 === 0 ? 'failed' : index % 13 === 0 ? 'cancelled' : 'succeeded';
    const failed = index % 2 ? 500 : index % 3 ? 404 : 0;
    const statuses = {
      failed: Array(5).fill(failed),
      cancelled: [failed],
      succeeded: [index % 17 ? 200 : 204],
    };
    return {
      ...target,
      organizationId:
        organizations.find(({ id }) => id === target.projectId)?.organizationId ?? organizationId,
      eventType: ['customer.created', 'session.created', 'customer.deleted'][index % 50 ? index % 2 : 2]!,
      state,
      // One that hardly anything is like, far down.
      attempts: (index === 121 ? [418] : statuses[state]).map((status: number, nth: number) => ({
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
  const insertEndpoint = async (ofOrganizationId: string, ofProjectId: string | null): Promise<string> => {
    const id = randomUUID();
    await instance.sql(
      `INSERT INTO webhook_endpoints (id, organization_id, project_id, level, url, events, secret)
       VALUES ($1, $2, $3, $4, 'https://example.com/', '{}', '')`,
      [id, ofOrganizationId, ofProjectId, ofProjectId ? 'project' : 'organization'],
    );
    return id;
  };
  endpoints = {
    first: await insertEndpoint(organizationId, projects.main),
    second: await insertEndpoint(organizationId, projects.main),
    whole: await insertEndpoint(organizationId, null),
    child: await insertEndpoint(child.organizationId, projects.child),
    foreign: await insertEndpoint(foreign.organizationId, projects.foreign),
  };
  await insertDays(instance, Date.now() - (DAYS + 1) * 86_400_000);
  await insertLog();
});
afterAll(async () => instance?.stop());

describe('the log of attempts', () => {
  it('shows each key the attempts within its reach, newest first, page by page', async () => {
    expect((await read({})).ids).toEqual(matching(ofOrganization));
    expect((await read({ limit: '33' }, keys.project)).ids).toEqual(matching(ofProject));
    expect((await read({}, keys.child)).ids).toEqual(
      matching(({ delivery }) => delivery.endpointId === endpoints.child),
    );
    expect((await read({}, keys.foreign)).ids).toEqual(
      matching(({ delivery }) => delivery.endpointId === endpoints.foreign),
    );
  });

  const middle = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const dayBefore = new Date(Date.now() - 4 * 86_400_000).toISOString();
  const isFailed = ({ status }: Known): boolean => status < 200 || status > 299;
  const filters: [string, () => Record<string, string>, (attempt: Known) => boolean][] = [
    [
      'a project',
      () => ({ project_id: projects.child }),
      ({ delivery }) => delivery.projectId === projects.child,
    ],
    ['a foreign project', () => ({ project_id: projects.foreign }), () => false],
    [
      'an endpoint',
      () => ({ endpoint_id: `ep_${endpoints.second}` }),
      ({ delivery }) => delivery.endpointId === endpoints.second,
    ],
    ['a foreign endpoint', () => ({ endpoint_id: `ep_${endpoints.foreign}` }), () => false],
    [
      'an endpoint and a project',
      () => ({ endpoint_id: `ep_${endpoints.whole}`, project_id: projects.main }),
      ({ delivery }) => delivery.endpointId === endpoints.whole,
    ],
    [
      'a rare type',
      () => ({ event: 'customer.deleted' }),
      ({ delivery }) => delivery.eventType === 'customer.deleted',
    ],
    ['failures', () => ({ success: 'false' }), isFailed],
    ['successes', () => ({ success: 'true' }), (attempt) => !isFailed(attempt)],
    ['dead letters', () => ({ delivery_state: 'failed' }), ({ delivery }) => delivery.state === 'failed'],
    [
      'what succeeded',
      () => ({ delivery_state: 'succeeded' }),
      ({ delivery }) => delivery.state === 'succeeded',
    ],
    ['what is pending', () => ({ delivery_state: 'pending' }), () => false],
    ['failures of what succeeded', () => ({ delivery_state: 'succeeded', success: 'false' }), () => false],
    ['a status', () => ({ http_status: '404' }), ({ status }) => status === 404],
    ['a status of success', () => ({ http_status: '204' }), ({ status }) => status === 204],
    ['a status that is nearly never', () => ({ http_status: '418' }), ({ status }) => status === 418],
    ['a class', () => ({ status_class: '5xx' }), ({ status }) => status >= 500],
    ['no answer', () => ({ status_class: 'none' }), ({ status }) => status === 0],
    [
      'a span of time',
      () => ({ created_after: dayBefore, created_before: middle }),
      ({ at }) => at > Date.parse(dayBefore) && at < Date.parse(middle),
    ],
    [
      'failures of an endpoint since a moment',
      () => ({ endpoint_id: `ep_${endpoints.first}`, success: 'false', created_after: middle }),
      (attempt) =>
        attempt.delivery.endpointId === endpoints.first &&
        isFailed(attempt) &&
        attempt.at > Date.parse(middle),
    ],
    ['no time at all', () => ({ created_after: middle, created_before: dayBefore }), () => false],
  ];

  it('finds exactly the attempts that match a filter, for an organization and for a project', async () => {
    const faults: string[] = [];
    const check = async ([name, query, matches]: (typeof filters)[number]): Promise<void> => {
      for (const [key, isWithin] of [
        [keys.organization, ofOrganization],
        [keys.project, ofProject],
      ] as const) {
        const expected = matching((attempt) => isWithin(attempt) && matches(attempt));
        const { ids } = await read(query(), key);
        if (ids.join() === expected.join()) continue;
        const whose = key === keys.project ? 'project' : 'organization';
        faults.push(
          `${name}, ${whose}: ${ids.length} attempts instead of ${expected.length}, or in another order`,
        );
      }
    };
    for (let first = 0; first < filters.length; first += 5)
      await Promise.all(filters.slice(first, first + 5).map(check));
    expect(faults).toEqual([]);
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
    expect(await ask({ endpoint_id: `ep_${endpoints.foreign}` })).toMatchObject({
      data: [],
      has_more: false,
    });
    expect(await ask({ endpoint_id: `ep_${endpoints.whole}` }, keys.project)).toMatchObject({
      data: [],
      has_more: false,
    });
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
