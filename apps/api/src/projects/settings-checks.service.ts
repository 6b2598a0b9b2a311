import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import {
  defaultSettings,
  effectiveRpId,
  enablesSignInMethod,
  GatehouseError,
  invalidField,
  parseValidUrl,
  type ProjectSettings,
} from '@gatehouse/domain';
import {
  CustomersBulkRepository,
  PasskeysRepository,
  ProjectsRepository,
  TokenSubjectsRepository,
  type Tx,
} from '@gatehouse/persistence';
import { Config, LOGGER, type Logger } from '@gatehouse/platform';
import { RunningApisService } from '../running-apis/running-apis.service.js';

/** Claim size, in bytes, above which saving `accessTokenClaims` logs a warning. */
const LARGE_CLAIMS_BYTES = 3 * 1024;

/** Checks new project settings against customers' passkeys, other projects and running API processes. */
@Injectable()
export class SettingsChecksService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly passkeys: PasskeysRepository,
    private readonly customers: CustomersBulkRepository,
    private readonly subjects: TokenSubjectsRepository,
    private readonly apis: RunningApisService,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Checks a new project's settings.
   * @throws GatehouseError `validation_failed`, `conflict`
   */
  async assertMayCreate(tx: Tx, settings: ProjectSettings): Promise<void> {
    await this.assertSupported(tx, defaultSettings, settings);
    await this.assertRpIdIsFree(tx, settings, null);
  }

  /**
   * Checks new settings for a project that the transaction has locked.
   * @throws GatehouseError `validation_failed`, `conflict` if an older API process would ignore a setting, if a new
   * `rpId` would make existing passkeys unusable, or if customers have tokens with a different `sub`
   */
  async assertMayChange(tx: Tx, id: string, before: ProjectSettings, after: ProjectSettings): Promise<void> {
    await this.assertSupported(tx, before, after);
    await this.assertSubjectIsUnused(tx, id, before, after);
    const rpId = effectiveRpId(before.passkeys, this.config);
    if (rpId === effectiveRpId(after.passkeys, this.config)) return;
    const count = rpId === null ? 0 : await this.passkeys.count(tx, id);
    if (count > 0)
      throw new GatehouseError('conflict', {
        detail: `The rpId cannot change while customers have passkeys: ${count} ${count === 1 ? 'is' : 'are'} bound to ${rpId}.`,
      });
    await this.assertRpIdIsFree(tx, after, id);
  }

  /**
   * Logs a warning if new claims make access tokens so large that browsers or proxies may reject them. Measures the
   * claims of the newest customers.
   */
  async warnAboutClaims(tx: Tx, projectId: string, before: string[], after: string[]): Promise<void> {
    if (isDeepStrictEqual(before, after) || after.length === 0) return;
    const bytes = await this.customers.measureMetadata(tx, projectId, after);
    if (bytes > LARGE_CLAIMS_BYTES)
      this.logger.warn({ projectId, bytes }, 'access token claims are larger than 3 KiB');
  }

  /**
   * Checks that every running API process supports a changed setting. Older API processes do not support portable
   * hashes (ADR 0102) or tokens with an external id as `sub` (ADR 0105).
   */
  private async assertSupported(tx: Tx, before: ProjectSettings, after: ProjectSettings): Promise<void> {
    const becomesPortable = before.passwordHashing !== 'portable' && after.passwordHashing === 'portable';
    const changesSubject = before.tokenSubject !== after.tokenSubject;
    if (becomesPortable || changesSubject || enablesSignInMethod(before, after, this.config))
      await this.apis.assertNoOlderApi(tx);
  }

  /**
   * Checks, before `tokenSubject` changes, that no customer has signed in yet, because services may have stored the
   * `sub` of tokens as a key.
   * @throws GatehouseError `conflict`
   */
  private async assertSubjectIsUnused(
    tx: Tx,
    id: string,
    before: ProjectSettings,
    after: ProjectSettings,
  ): Promise<void> {
    if (before.tokenSubject === after.tokenSubject || !(await this.subjects.isUsedInProject(tx, id))) return;
    throw new GatehouseError('conflict', {
      detail:
        'tokenSubject cannot change after customers have signed in, because your services may have stored the sub of their tokens. Create another project with this setting, or delete the customers who have signed in.',
    });
  }

  /**
   * Checks that no other project uses this server's host, because only one project can list its related origins.
   * @throws GatehouseError `validation_failed`
   */
  private async assertRpIdIsFree(
    tx: Tx,
    { passkeys }: ProjectSettings,
    projectId: string | null,
  ): Promise<void> {
    if (!passkeys || passkeys.rpId !== parseValidUrl(this.config.publicUrl).hostname) return;
    await this.projects.lockRpId(tx, passkeys.rpId);
    if (await this.projects.findByRpId(passkeys.rpId, projectId, tx))
      throw invalidField(
        'settings.passkeys.rpId',
        'not_allowed',
        'rpId must not be the host of this server, because another project uses it',
      );
  }
}
