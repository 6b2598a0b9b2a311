import { Inject, Injectable } from '@nestjs/common';
import type { FieldError, IdentityProvider, IdentityProviderType } from '@gatehouse/domain';
import {
  IdentityProvidersRepository,
  type ClientColumns,
  type OAuthFlow,
  type StoredSettings,
} from '@gatehouse/persistence';
import {
  errorMessage,
  Keyring,
  LOGGER,
  UnreadableValueError,
  UnreadableValues,
  type Logger,
} from '@gatehouse/platform';
import { UNREADABLE_SECRET, type FlowState, type SettingsPatch } from './protocols/identity-protocol.js';
import { IdentityProtocolsService } from './protocols/identity-protocols.service.js';

/** Number of providers per batch. */
const BATCH = 500;

/** The columns of a provider whose protocol an earlier version does not support. */
const emptyColumns: ClientColumns = {
  ...{ clientId: '', clientIds: [], tenants: [], scopes: [], teamId: null, keyId: null },
  ...{ requireNonce: false, clientSecret: null, privateKey: null },
};

/** The effect of a change on a provider's settings. */
export interface SettingsChange {
  errors: FieldError[];
  /** The settings as the API returns them. */
  described: Record<string, unknown>;
  stored: StoredSettings;
}

/** The provider fields that are required to read its settings. */
type SettingsOwner = Pick<IdentityProvider, 'id' | 'projectId' | 'type'> & StoredSettings;

/**
 * Stores the settings and flow states of protocols, each as one encrypted document, and also in the columns that API
 * processes on an earlier version read and write (ADR 0110).
 */
@Injectable()
export class StoredSettingsService {
  constructor(
    private readonly protocols: IdentityProtocolsService,
    private readonly providers: IdentityProvidersRepository,
    private readonly keyring: Keyring,
    private readonly unreadable: UnreadableValues,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns a provider's settings, with `UNREADABLE_SECRET` for each secret that cannot be decrypted.
   * @throws UnreadableValueError if all settings are unreadable
   */
  read(provider: SettingsOwner): unknown {
    const format = this.protocols.getSettingsFormat(provider.type);
    try {
      if (provider.settings)
        return format.read(
          provider.type,
          this.open('identity-provider-settings', provider.id, provider.settings),
        );
    } catch (error) {
      if (!format.columns) throw error;
      this.report(error, provider);
    }
    const decrypt = (sealed: Buffer) => {
      try {
        return this.keyring.decrypt('identity-provider-secret', provider.id, sealed);
      } catch (error) {
        if (error instanceof UnreadableValueError) return UNREADABLE_SECRET;
        throw error;
      }
    };
    return format.read(provider.type, format.columns?.read(provider.columns, decrypt) ?? {});
  }

  /** Returns a provider's settings as the API returns them. */
  describe(provider: SettingsOwner): Record<string, unknown> {
    const format = this.protocols.getSettingsFormat(provider.type);
    return format.describe(this.readOrReset(provider) ?? format.merge(provider.type, null, {}));
  }

  /**
   * Returns the settings for a new or changed provider. A secret that cannot be decrypted remains stored
   * unchanged, unless the patch replaces it.
   * @param before null for a new provider
   * @throws GatehouseError `validation_failed`
   */
  change(
    id: string,
    type: IdentityProviderType,
    before: SettingsOwner | null,
    patch: SettingsPatch,
  ): SettingsChange {
    const format = this.protocols.getSettingsFormat(type);
    const settings = format.merge(type, before && this.readOrReset(before), patch);
    const seal = (secret: string) => this.keyring.encrypt('identity-provider-secret', id, secret);
    const isReadable = !Object.values(settings as object).includes(UNREADABLE_SECRET);
    const document = JSON.stringify(settings);
    return {
      errors: format.errors(type, settings),
      described: format.describe(settings),
      stored: {
        settings: isReadable ? this.keyring.encrypt('identity-provider-settings', id, document) : null,
        columns: format.columns?.write(settings, seal, before?.columns) ?? emptyColumns,
      },
    };
  }

  /** Encrypts the state that a protocol stores for a flow. @param stateHash identifies the flow */
  sealFlowState(stateHash: Buffer, flowState: FlowState): Buffer {
    return this.keyring.encrypt('identity-flow-state', stateHash.toString('hex'), JSON.stringify(flowState));
  }

  /** Returns the state that a protocol stores for a flow. @throws UnreadableValueError */
  readFlowState(stateHash: Buffer, flow: Pick<OAuthFlow, 'flowState' | 'nonce' | 'codeVerifier'>): FlowState {
    const { flowState: sealed, nonce, codeVerifier } = flow;
    if (!sealed) return { nonce, codeVerifier };
    try {
      return this.open('identity-flow-state', stateHash.toString('hex'), sealed) as FlowState;
    } catch (error) {
      if (codeVerifier === '') throw error;
      this.unreadable.report(error, {});
      return { nonce, codeVerifier };
    }
  }

  /**
   * Creates missing documents from the columns. Also replaces documents encrypted with an entry that is no longer in
   * GATEHOUSE_SECRET.
   */
  async createMissing(): Promise<void> {
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const batch = await this.providers.listWithoutSettings(this.keyring.listKids(), after, BATCH);
      for (const provider of batch) {
        const { settings } = this.change(provider.id, provider.type, provider, {}).stored;
        if (settings) await this.providers.setSettings(provider, settings);
      }
      if (batch.length < BATCH) return;
      after = batch.at(-1)!.id;
    }
  }

  /** Returns a provider's settings, or null if they are unreadable and must be set again. */
  private readOrReset(provider: SettingsOwner): unknown {
    try {
      return this.read(provider);
    } catch (error) {
      this.report(error, provider);
      return null;
    }
  }

  private report(error: unknown, { id: providerId, projectId }: SettingsOwner): void {
    const subject = { projectId, providerId };
    if (error instanceof UnreadableValueError) this.unreadable.report(error, subject);
    else
      this.logger.warn(
        { ...subject, reason: errorMessage(error) },
        'stored settings of identity provider not valid',
      );
  }

  /** Decrypts a document. @throws UnreadableValueError, or an Error that does not contain the document */
  private open(
    purpose: 'identity-provider-settings' | 'identity-flow-state',
    context: string,
    sealed: Buffer,
  ): unknown {
    const text = this.keyring.decrypt(purpose, context, sealed);
    try {
      return JSON.parse(text);
    } catch {
      throw new Error('the document is not JSON');
    }
  }
}
