import { randomUUID } from 'node:crypto';
import { checkCases } from '../support/check-cases.js';
import {
  waitForDeadLetters,
  emitEvents,
  FAST_RETRIES,
  duplicateDeadLetter,
} from '../support/dead-letters.js';
import { eventually } from '../support/eventually.js';
import { insertOperator } from '../support/operator-client.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver, respondWithStatus } from '../support/receiver.js';
import { insertKey, insertOrganization, insertProject } from '../support/tenants.js';

let instance: TestInstance;
let receiver: Receiver;
beforeAll(async () => {
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s', WEBHOOK_TIMEOUT: '60s' };
  instance = await TestInstance.startShared({ workerEnv: { ...FAST_RETRIES, ...schedule } });
  receiver = await Receiver.start();
  receiver.defaultResponder = respondWithStatus(503);
});
afterEach(async () => {
  await instance.sql(`UPDATE webhook_endpoints SET status = 'deleted'`);
  receiver.defaultResponder = respondWithStatus(503);
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

async function createDeadLetters(count: number): Promise<{ endpoint: string; ids: string[] }> {
  const { id: endpoint } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await emitEvents(instance, count);
  return { endpoint, ids: await waitForDeadLetters(instance, endpoint, count) };
}

const createOrganizationEndpoint = async (): Promise<string> =>
  (await instance.createEndpoint(receiver.url, ['customer.created'], { level: 'organization' })).id;

const deleteDuplicates = () =>
  instance.sql(`DELETE FROM deliveries WHERE id >= 'ffffffff-0000-0000-0000-000000000000'`);

async function list(query: Record<string, string> = {}, key = instance.credentials.secretKey) {
  const response = await instance.request('GET', `/v1/webhooks/dead-letters?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  return response.body as { data: Record<string, any>[]; next_cursor: string | null; has_more: boolean };
}
const idsOf = ({ data }: { data: Record<string, any>[] }) => data.map(({ id }) => id as string);

/** Reads all pages of a list. */
async function readAll(
  query: Record<string, string>,
  key?: string,
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  for (let cursor = '', pages = 1; ; pages += 1) {
    const page = await list({ ...query, ...(cursor ? { cursor } : {}) }, key);
    ids.push(...idsOf(page));
    expect(page.has_more).toBe(page.next_cursor !== null);
    if (page.next_cursor === null) return { ids, pages };
    cursor = page.next_cursor;
  }
}

const discard = (id: string, body: object = { reason: 'the receiver is gone' }) =>
  instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/${id}/discard`, body);
const redeliver = (id: string, body?: object) =>
  instance.requestWithSecretKey('POST', `/v1/webhooks/deliveries/${id}/redeliver`, body);

describe('the list of dead letters', () => {
  it('contains permanently failed deliveries with their last attempt, newest first, in pages', async () => {
    const { endpoint, ids } = await createDeadLetters(5);
    const all = await list({ endpoint_id: endpoint });
    expect(idsOf(all)).toEqual(ids);
    expect(all).toMatchObject({ next_cursor: null, has_more: false });
    const { data } = (await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${ids[0]}`)).body;
    const { request: _, attempts, ...fields } = data;
    expect(attempts).toHaveLength(5);
    expect(all.data[0]).toEqual({
      ...fields,
      state: 'failed',
      resolution: null,
      last_attempt: { attempt: 5, http_status: 503, error: 'http_error' },
    });

    expect((await readAll({ endpoint_id: endpoint, limit: '2' })).ids).toEqual(ids);
  });

  it('has the filters of the attempt log, and is empty for a filter without matches', async () => {
    receiver.defaultResponder = respondWithStatus(500);
    const { endpoint, ids } = await createDeadLetters(2);
    receiver.defaultResponder = (_, __, message) => message.socket.destroy();
    await emitEvents(instance, 1);
    const [withoutResponse] = await waitForDeadLetters(instance, endpoint, 3);
    const all = [withoutResponse!, ...ids];
    const endpointFilter = { endpoint_id: endpoint };
    const shown = await list(endpointFilter);
    const [newest, , oldest] = shown.data as [any, any, any];
    const newer = shown.data.filter((deadLetter) => deadLetter['created_at'] > oldest.created_at);
    expect(newest).toMatchObject({
      id: withoutResponse,
      last_attempt: { http_status: 0, error: 'connection_error' },
    });

    const cases: [Record<string, string>, string[]][] = [
      [{ project_id: instance.credentials.projectId }, all],
      [{ event: 'customer.created' }, all],
      [{ event_id: oldest.event_id }, [oldest.id]],
      [{ delivery_id: ids[0]! }, [ids[0]!]],
      [{ delivery_state: 'failed', success: 'false' }, all],
      [{ http_status: '500' }, ids],
      [{ status_class: '5xx' }, ids],
      [{ status_class: 'none' }, [withoutResponse!]],
      [{ created_before: newest.created_at }, ids],
      [{ created_after: oldest.created_at }, idsOf({ data: newer })],
      [{ project_id: randomUUID() }, []],
      [{ event: 'login.failed' }, []],
      [{ event_id: `evt_${ids[0]!.slice(4)}` }, []],
      [{ delivery_id: `dlv_${oldest.event_id.slice(4)}` }, []],
      [{ delivery_state: 'succeeded' }, []],
      [{ success: 'true' }, []],
      [{ http_status: '503' }, []],
      [{ created_after: newest.created_at }, []],
    ];
    await checkCases(
      cases.map(([filter, found]) => [JSON.stringify(filter), filter, found] as const),
      async (filter, found) => expect(idsOf(await list({ ...endpointFilter, ...filter }))).toEqual(found),
    );
  });

  it('scans a bounded number of dead letters per page, and continues on the next page', async () => {
    const { endpoint, ids } = await createDeadLetters(1);
    await instance.sql('UPDATE deliveries SET last_http_status = 999 WHERE id = $1', [ids[0]!.slice(4)]);
    await duplicateDeadLetter(instance, ids[0]!, 2_500);
    const { projectId, secretKey, projectSecretKey } = instance.credentials;
    const expectFound = async (scope: Record<string, string>, key: string) => {
      const read = await readAll({ ...scope, http_status: '999', status_class: 'other' }, key);
      expect(read.ids).toEqual(ids);
      expect(read.pages).toBeGreaterThan(1);
    };
    await expectFound({ endpoint_id: endpoint }, secretKey);
    await expectFound({ project_id: projectId }, secretKey);
    await expectFound({}, secretKey);
    expect(await instance.sql(`SELECT FROM webhook_endpoints WHERE level = 'organization'`)).toEqual([]);
    await expectFound({}, projectSecretKey);
    // With an organization endpoint, the list uses a different scan.
    await createOrganizationEndpoint();
    await expectFound({}, projectSecretKey);
    await deleteDuplicates();
  });

  it('contains the dead letters that a key can access, and reveals no others through pagination', async () => {
    await instance.sql(`UPDATE deliveries SET resolution = 'discarded' WHERE state = 'failed'`);
    const organizationEndpoint = await createOrganizationEndpoint();
    const { endpoint, ids } = await createDeadLetters(1);
    const [organizationDeadLetter] = await waitForDeadLetters(instance, organizationEndpoint, 1);
    const { projectId, projectSecretKey } = instance.credentials;
    const { event_id } = (await list({ endpoint_id: organizationEndpoint })).data[0]!;
    expect(idsOf(await list({ project_id: projectId })).sort()).toEqual(
      [organizationDeadLetter, ids[0]].sort(),
    );
    const pageOf = (...data: Record<string, any>[]) => ({
      success: true,
      data,
      next_cursor: null,
      has_more: false,
    });

    await duplicateDeadLetter(instance, organizationDeadLetter!, 2_100);
    expect(await list({ endpoint_id: organizationEndpoint, http_status: '999' })).toMatchObject({
      has_more: true,
    });
    const endpointFilter = { endpoint_id: endpoint };
    const [own] = (await list(endpointFilter)).data;
    const accessible: Record<string, string>[] = [
      endpointFilter,
      {},
      { project_id: projectId },
      { event_id },
    ];
    for (const query of accessible) {
      expect([query, await list(query, projectSecretKey)]).toEqual([query, pageOf(own!)]);
    }
    const inaccessible: Record<string, string>[] = [
      { endpoint_id: organizationEndpoint },
      { delivery_id: organizationDeadLetter! },
    ];
    for (const query of inaccessible) {
      expect([query, await list(query, projectSecretKey)]).toEqual([query, pageOf()]);
    }

    await duplicateDeadLetter(instance, ids[0]!, 2_100);
    const otherOrganization = await insertOrganization(instance);
    const otherOrganizationKey = await insertKey(instance, {
      ...otherOrganization,
      type: 'secret',
      access: 'organization',
    });
    const sibling = await insertProject(instance, instance.credentials.organizationId);
    for (const key of [otherOrganization.secretKey, otherOrganizationKey, sibling.secretKey]) {
      for (const query of [...accessible, ...inaccessible, { delivery_id: ids[0]! }]) {
        for (const limit of ['1', '200']) {
          expect([query, await list({ ...query, limit }, key)]).toEqual([query, pageOf()]);
        }
      }
    }
    await deleteDuplicates();
  });
});

describe('discarding a delivery', () => {
  it('removes a dead letter from the list, stores the reason, and still allows a redelivery', async () => {
    const { endpoint, ids } = await createDeadLetters(2);
    const response = await discard(ids[0]!);
    expect(response.status).toBe(200);
    expect(response.body.data).toMatchObject({
      id: ids[0],
      state: 'failed',
      resolution: 'discarded',
      reason: 'the receiver is gone',
      resolved_by: expect.stringMatching(/^key:/),
      redelivered_as: null,
    });
    expect(response.body.data.attempts).toHaveLength(5);
    expect(idsOf(await list({ endpoint_id: endpoint }))).toEqual([ids[1]]);
    for (const body of [{}, { reason: '' }]) expect((await discard(ids[1]!, body)).status).toBe(400);

    // A discarded dead letter can still be redelivered.
    receiver.defaultResponder = respondWithStatus(200);
    const redelivered = await redeliver(ids[0]!, { reason: 'receiver fixed' });
    expect(redelivered.status).toBe(202);
    const { data } = (await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${ids[0]}`)).body;
    expect(data).toMatchObject({
      resolution: 'redelivered',
      redelivered_as: redelivered.body.data.id,
      reason: 'receiver fixed',
      resolved_by: expect.stringMatching(/^key:/),
    });
  });

  it('WH-14: succeeds for only one of 20 parallel requests, and records all of them', async () => {
    const { ids } = await createDeadLetters(1);
    const responses = await Promise.all(Array.from({ length: 20 }, () => discard(ids[0]!)));
    expect(responses.map((response) => response.status).sort()).toEqual([200, ...Array(19).fill(409)]);
    const { body } = await instance.requestWithSecretKey(
      'GET',
      `/api/v1/audit-log?targetId=${ids[0]}&action=webhook_delivery.discarded`,
    );
    const outcomes = (body.data as any[]).map(({ details }) => [details.outcome, details.reason] as string[]);
    expect(outcomes.sort()).toEqual([
      ['discarded', 'the receiver is gone'],
      ...Array(19).fill(['refused', undefined]),
    ]);
  });

  it('rejects deliveries that are not dead letters', async () => {
    const { ids } = await createDeadLetters(2);
    let succeed!: () => void;
    const released = new Promise<void>((resolve) => (succeed = resolve));
    receiver.defaultResponder = (response) => void released.then(() => response.end());
    expect(await redeliver(ids[0]!)).toMatchObject({ status: 202 });
    const redelivered = await discard(ids[0]!);
    expect(redelivered).toMatchObject({ status: 409, body: { code: 'already_redelivered' } });
    expect(await discard(redelivered.body.redeliveredAs)).toMatchObject({ status: 409 });

    const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
    await emitEvents(instance, 1);
    const [{ delivery }] = (await instance.sql(
      `SELECT 'dlv_' || id AS delivery FROM deliveries WHERE endpoint_id = $1`,
      [id.slice(3)],
    )) as [{ delivery: string }];
    for (const rejected of [await discard(delivery), await redeliver(delivery)])
      expect(rejected).toMatchObject({ status: 409, body: { code: 'delivery_pending' } });
    succeed();
    await eventually(
      'the outcome',
      async () => (await instance.listAttempts({ endpoint_id: id })).length > 0,
    );
    expect(await discard(delivery)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await discard(`dlv_${randomUUID()}`)).toMatchObject({ status: 404 });
  });
});

describe('redelivering a delivery', () => {
  it('resends the bytes of any finished delivery, unless its chain has a newer one', async () => {
    receiver.defaultResponder = respondWithStatus(200);
    const { id: endpoint } = await instance.createEndpoint(receiver.url, ['customer.created']);
    await emitEvents(instance, 1);
    const [attempt] = await eventually('a success', async () => {
      const found = await instance.listAttempts({ endpoint_id: endpoint, success: 'true' });
      return found.length > 0 && found;
    });
    const deliveryId = attempt!['delivery_id'] as string;

    const target = await Receiver.start();
    let succeed!: () => void;
    const released = new Promise<void>((resolve) => (succeed = resolve));
    target.respondWith((response) => void released.then(() => response.end()));
    await instance.requestWithSecretKey('PATCH', `/v1/webhooks/endpoints/${endpoint}`, { url: target.url });
    const first = await redeliver(deliveryId);
    expect(first).toMatchObject({
      status: 202,
      body: { data: { redelivery_of: deliveryId, target_url: target.url, state: 'pending' } },
    });
    succeed();
    await eventually('the redelivery', () => target.requests.length === 1);
    const [before, after] = [receiver.requests.at(-1)!, target.requests[0]!];
    expect(after.body).toBe(before.body);
    expect(after.headers['webhook-id']).toBe(before.headers['webhook-id']);

    const redeliveryId = first.body.data.id as string;
    await eventually('the outcome', async () => {
      const { body } = await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${redeliveryId}`);
      return body.data.state === 'succeeded';
    });
    expect(await redeliver(deliveryId)).toMatchObject({
      status: 409,
      body: { code: 'already_redelivered', redeliveredAs: redeliveryId },
    });
    // The delivery was not a dead letter, so it has no resolution.
    const original = await instance.requestWithSecretKey('GET', `/v1/webhooks/deliveries/${deliveryId}`);
    expect(original.body.data).toMatchObject({
      state: 'succeeded',
      resolution: null,
      redelivered_as: redeliveryId,
    });
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${endpoint}/disable`);
    expect(await redeliver(redeliveryId)).toMatchObject({ status: 409, body: { code: 'endpoint_disabled' } });
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${endpoint}/enable`);
    expect(await redeliver(redeliveryId)).toMatchObject({
      status: 202,
      body: { data: { redelivery_of: redeliveryId } },
    });
    await eventually('the second request', () => target.requests.length === 2);
    await target.stop();
  });

  it('enables a disabled endpoint on request, and otherwise fails and suggests the option', async () => {
    const { endpoint, ids } = await createDeadLetters(3);
    const [first, second, third] = ids as [string, string, string];
    const setStatus = (status: string) =>
      instance.sql('UPDATE webhook_endpoints SET status = $2 WHERE id = $1', [endpoint.slice(3), status]);
    const getStatus = async () =>
      (await instance.requestWithSecretKey('GET', `/v1/webhooks/endpoints/${endpoint}`)).body.data.status;
    await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${endpoint}/disable`);
    receiver.defaultResponder = respondWithStatus(200);
    for (const body of [undefined, {}, { enable_endpoint: false }]) {
      expect(await redeliver(first, body)).toMatchObject({
        status: 409,
        body: { code: 'endpoint_disabled', detail: expect.stringContaining('"enable_endpoint": true') },
      });
    }
    expect(await redeliver(first, { enable_endpoint: 'yes' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'enable_endpoint' }] },
    });
    // Enabling an endpoint requires a different scope.
    const key = await insertKey(instance, {
      ...instance.credentials,
      type: 'secret',
      scopes: ['webhook:redeliver'],
    });
    const path = `/v1/webhooks/deliveries/${first}/redeliver`;
    expect(await instance.requestWithBearer(key, 'POST', path, { enable_endpoint: true })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', requiredScopes: ['webhook:write'] },
    });
    expect(await getStatus()).toBe('disabled');

    expect(await redeliver(first, { enable_endpoint: true })).toMatchObject({
      status: 202,
      body: { data: { redelivery_of: first } },
    });
    expect(await getStatus()).toBe('enabled');
    // An operator who may enable endpoints can do the same.
    await setStatus('disabled');
    const operator = await insertOperator(instance, 'operator');
    expect(
      await operator.request('POST', `/webhooks/deliveries/${second}/redeliver`, { enable_endpoint: true }),
    ).toMatchObject({ status: 202 });
    const query = `targetId=${endpoint}&action=webhook_endpoint.enabled`;
    const { body } = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?${query}`);
    expect((body.data as any[]).map(({ actorType }) => actorType)).toEqual(['operator', 'key']);
    await eventually('both redeliveries', async () => {
      const succeeded = await instance.listAttempts({ endpoint_id: endpoint, success: 'true' });
      return succeeded.length === 2;
    });
    await setStatus('deleted');
    expect(await redeliver(third, { enable_endpoint: true })).toMatchObject({
      status: 409,
      body: { code: 'endpoint_deleted' },
    });
  });
});
