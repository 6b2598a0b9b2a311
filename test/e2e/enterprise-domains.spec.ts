import { randomUUID } from 'node:crypto';
import { expectStatus } from '../support/customers.js';
import { eventually } from '../support/eventually.js';
import { createGitHubUser, GitHubStandIn } from '../support/identity-providers/github-stand-in.js';
import { createProviderUser } from '../support/identity-providers/provider-user.js';
import {
  checkDomain,
  createVerifiedProvider,
  createDomainProvider,
  newDomain,
  publishRecord,
  requestProviders,
  type DomainProvider,
} from '../support/identity-providers/provider-domains.js';
import { newProvider } from '../support/identity-providers/provider-requests.js';
import { StandInProvider } from '../support/identity-providers/stand-in-provider.js';
import { NameServer, type NameRecord } from '../support/name-server.js';
import { addProvider, createSocialProject, outcomeOf, signInAt } from '../support/social-sign-in.js';
import { insertOrganization, insertProject } from '../support/tenants.js';
import { TestInstance } from '../support/test-instance.js';

let instance: TestInstance;
let nameServer: NameServer;
beforeAll(async () => {
  nameServer = await NameServer.startShared();
  instance = await TestInstance.startShared({ workerEnv: { PERIODIC_JOBS: 'off' } });
});
afterAll(async () => {
  await instance?.stop();
  await nameServer?.stop();
});

describe('a domain of a provider', () => {
  it('becomes verified by its DNS record, or reports why it is not', async () => {
    const provider = await createDomainProvider(instance);
    const { record } = provider;
    const steps: [NameRecord, string, string | null][] = [
      ['NXDOMAIN', 'no_record', `there is no TXT record with the name ${record.name}`],
      [{ texts: ['v=spf1 -all'] }, 'other_value', record.value],
      ['SERVFAIL', 'dns_error', 'could not be looked up'],
      [{ texts: ['v=spf1 -all', record.value] }, 'verified', null],
    ];
    for (const [published, finding, detail] of steps) {
      nameServer.records[record.name] = published;
      const { status, body } = await checkDomain(instance, provider);
      const time = finding === 'verified' ? expect.any(String) : null;
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          ...{ domain: provider.domain, record, verifiedAt: time, checkedAt: expect.any(String) },
          ...{ failingSince: null, finding, detail: detail && expect.stringContaining(detail) },
        },
      });
    }
    const log = await instance.sql(
      `SELECT details FROM audit_log WHERE target_id = $1 AND action = 'identity_provider.domain_checked' ORDER BY id`,
      [provider.id],
    );
    expect(log.map(({ details }) => details.finding)).toEqual(steps.map(([, finding]) => finding));
  });

  it('is verified for at most one provider in a project, regardless of other projects', async () => {
    const { organizationId } = instance.credentials;
    const [sibling, outsider] = [
      await insertProject(instance, organizationId),
      await insertOrganization(instance),
    ];
    const { domain } = await createVerifiedProvider(instance, nameServer);
    const second = await createDomainProvider(instance, { domain });
    publishRecord(nameServer, second);
    expect(await checkDomain(instance, second)).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining('another identity provider') },
    });
    for (const tenant of [sibling, outsider])
      await createVerifiedProvider(instance, nameServer, { domain }, tenant);
  });

  it('keeps its verification if a PATCH replaces the list of domains but still contains it', async () => {
    const [retained, removed, added] = [newDomain(), newDomain(), newDomain()];
    const provider = await createDomainProvider(instance, { domain: retained, domains: [retained, removed] });
    const path = `/${provider.id}`;
    const before = (await requestProviders(instance, 'GET', path)).body;
    expect(before.domains).toEqual([retained, removed].sort());
    expect(before.domainVerifications.map(({ domain }: { domain: string }) => domain)).toEqual(
      before.domains,
    );
    const stateOf = (body: any, domain: string) =>
      body.domainVerifications.find((each: { domain: string }) => each.domain === domain);
    const kind = { ...provider, record: stateOf(before, retained).record };
    publishRecord(nameServer, kind);
    const verified = (await checkDomain(instance, kind)).body;
    const { body } = await requestProviders(instance, 'PATCH', path, { domains: [added, retained] });
    expect(body.domains).toEqual([added, retained].sort());
    expect(stateOf(body, retained)).toMatchObject({ record: kind.record, verifiedAt: verified.verifiedAt });
    expect(stateOf(body, added)).toMatchObject({ verifiedAt: null, checkedAt: null });
    const again = await requestProviders(instance, 'PATCH', path, { domains: [retained, added] });
    expect(again.body.updatedAt).toBe(body.updatedAt);
    const list = (await requestProviders(instance, 'GET')).body.data;
    expect(list.find(({ id }: { id: string }) => id === provider.id)).toEqual(again.body);
    expect((await requestProviders(instance, 'PATCH', path, { domains: null })).body.domains).toEqual([]);
  });

  it('must be a host name below a public suffix, and needs a provider type that organizations use', async () => {
    const bodies = [
      ...[
        'co.uk',
        'github.io',
        'localhost',
        'Acme.example',
        'acme.example.',
        '*.acme.example',
        '192.0.2.1',
      ].map((domain) => newProvider({ domains: [domain] })),
      newProvider({ domains: Array.from({ length: 51 }, newDomain) }),
      ...['github', 'discord'].map((type) => newProvider({ type, domains: [newDomain()] })),
      newProvider({ type: 'github', required: true }),
    ];
    for (const body of bodies)
      expect([body, (await requestProviders(instance, 'POST', '', body)).status]).toEqual([body, 400]);
    const accepted = newProvider({ domains: ['acme.example', 'eu.acme.example', 'xn--bcher-kva.example'] });
    expectStatus(201, await requestProviders(instance, 'POST', '', accepted));
  });

  it('is not found with the id of a different provider or tenant', async () => {
    const provider = await createDomainProvider(instance);
    const outsider = await insertOrganization(instance);
    const others = [
      await checkDomain(instance, { ...provider, domain: newDomain() }),
      await checkDomain(instance, { ...provider, domain: 'github.io' }),
      await checkDomain(instance, { ...provider, id: randomUUID() }),
      await checkDomain(instance, provider, outsider),
      await checkDomain(instance, provider, { ...outsider, projectId: instance.credentials.projectId }),
    ];
    expect(others.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });
});

describe('FE-03: a provider with a custom issuer', () => {
  /** Functions that start a server. Its accounts have the claims for which the preset trusts an email address. */
  const start = {
    github: async () => {
      const server = await GitHubStandIn.start();
      const setEmail = (email: string): void => {
        const emails = [{ email, primary: true, verified: true, visibility: null }];
        server.user = createGitHubUser({ emails });
      };
      return { server, setEmail };
    },
    microsoft: async () => {
      const server = await StandInProvider.start();
      const claims = { tid: '9188040d-6c67-4c5b-b112-36a304b66dad', xms_edov: true };
      const setEmail = (email: string): void => void (server.user = createProviderUser({ email, ...claims }));
      return { server, setEmail };
    },
  };

  it.each(['github', 'microsoft'] as const)(
    'links an existing customer only in a verified domain: %s',
    async (type) => {
      const { server, setEmail } = await start[type]();
      try {
        const project = await createSocialProject(instance);
        const tenant = { projectId: project.id, secretKey: instance.credentials.secretKey };
        const register = async (domain: string): Promise<{ id: string; email: string }> => {
          const email = `ada@${domain}`;
          const body = { projectId: project.id, email, emailVerified: true };
          const { id } = expectStatus(
            201,
            await instance.requestWithSecretKey('POST', '/api/v1/customers', body),
          ).body;
          return { id, email };
        };
        const domain = newDomain();
        const [member, outsider] = [await register(domain), await register(newDomain())];
        const fields = { type, issuer: server.url, trustEmail: true, domains: [domain] };
        const provider = await addProvider(instance, project, server, fields);
        const signIn = (email: string) => {
          setEmail(email);
          return signInAt(instance, project, provider.slug);
        };
        for (const { email } of [member, outsider])
          expect(outcomeOf(await signIn(email))).toBe('account_exists');

        const { body } = await requestProviders(instance, 'GET', `/${provider.id}`, undefined, tenant);
        const [{ record }] = body.domainVerifications;
        publishRecord(nameServer, { record });
        expect((await checkDomain(instance, { ...provider, domain }, tenant)).body.finding).toBe('verified');
        const result = await signIn(member.email);
        expect(outcomeOf(result)).toBe('session');
        expect('body' in result && result.body.customer.id).toBe(member.id);
        expect(outcomeOf(await signIn(outsider.email))).toBe('account_exists');
      } finally {
        await server.stop();
      }
    },
  );
});

describe('the daily check of a domain', () => {
  const find = async ({ id }: DomainProvider) =>
    (
      await instance.sql(
        `SELECT verified_at IS NOT NULL AS verified, failing_since IS NOT NULL AS failing
         FROM identity_provider_domains WHERE provider_id = $1`,
        [id],
      )
    )[0]!;
  /** Moves all times of a domain into the past, and runs the job. */
  const checkAfter = async ({ id }: DomainProvider, interval: string) => {
    await instance.sql(
      `UPDATE identity_provider_domains SET verified_at = verified_at - $2::interval,
         checked_at = checked_at - $2::interval, failing_since = failing_since - $2::interval WHERE provider_id = $1`,
      [id, interval],
    );
    await instance.runJob('domains');
  };
  const countQuestions = ({ domain }: DomainProvider) =>
    nameServer.countQuestions(`_gatehouse-challenge.${domain}`);

  it('looks up verified domains once a day', async () => {
    const [provider, unverified] = [
      await createVerifiedProvider(instance, nameServer),
      await createDomainProvider(instance),
    ];
    const before = countQuestions(provider);
    await checkAfter(provider, '23 hours');
    expect(countQuestions(provider)).toBe(before);
    await checkAfter(provider, '2 hours');
    expect(countQuestions(provider)).toBe(before + 1);
    await instance.runJob('domains');
    expect(countQuestions(provider)).toBe(before + 1);
    expect(countQuestions(unverified)).toBe(0);
  });

  it('ends the verification after seven days without the record, but never for DNS errors', async () => {
    const provider = await createVerifiedProvider(instance, nameServer);
    const { name } = provider.record;
    const worker = instance.workers[0]!;
    const expectLog = (message: string) =>
      eventually(message, () =>
        Promise.resolve(
          worker.log.find((line) => line.message === message && line.domain === provider.domain),
        ),
      );

    nameServer.records[name] = 'SERVFAIL';
    await checkAfter(provider, '30 days');
    expect(await find(provider)).toEqual({ verified: true, failing: false });

    nameServer.records[name] = 'NXDOMAIN';
    await checkAfter(provider, '2 days');
    expect(await find(provider)).toEqual({ verified: true, failing: true });
    await expectLog('record of verified domain is missing');

    publishRecord(nameServer, provider);
    await checkAfter(provider, '2 days');
    expect(await find(provider)).toEqual({ verified: true, failing: false });

    nameServer.records[name] = { texts: ['v=spf1 -all'] };
    await checkAfter(provider, '2 days');
    // No worker ran for eight days, during which the record may have existed.
    await checkAfter(provider, '8 days');
    for (let checks = 0; checks < 3; checks += 1) await checkAfter(provider, '47 hours');
    expect(await find(provider)).toEqual({ verified: true, failing: true });
    nameServer.records[name] = 'SERVFAIL';
    await checkAfter(provider, '47 hours');
    expect(await find(provider)).toEqual({ verified: true, failing: true });
    nameServer.records[name] = 'NXDOMAIN';
    await checkAfter(provider, '25 hours');
    expect(await find(provider)).toEqual({ verified: false, failing: false });
    await expectLog('domain is no longer verified');
    const log = await instance.sql(
      `SELECT actor_type FROM audit_log WHERE target_id = $1 AND action = 'identity_provider.domain_lapsed'`,
      [provider.id],
    );
    expect(log).toEqual([{ actor_type: 'system' }]);
  });
});
