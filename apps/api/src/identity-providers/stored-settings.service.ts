import { Injectable } from '@nestjs/common';
import type { FieldError, IdentityProvider, IdentityProviderType } from '@gatehouse/domain';
import { IdentityProvidersRepository, type ClientColumns, type StoredSettings } from '@gatehouse/persistence';
import { Keyring, UnreadableValueError } from '@gatehouse/platform';
import type { FlowState, SettingsPatch } from './protocols/identity-protocol.js';
import { IdentityProtocolsService } from './protocols/identity-protocols.service.js';
import type { OAuthClientSettings } from './protocols/oauth-client/oauth-client-settings.js';

/** Number of providers whose settings are stored at a time. */
const BATCH = 500;

/** What a change does to the settings of a provider. */
export interface SettingsChange {
  errors: FieldError[];
  /** As the API shows them. */
  described: Record<string, unknown>;
  stored: StoredSettings;
}

/** A provider whose settings are to be read. */
type SettingsOwner = Pick<IdentityProvider, 'id' | 'type'> & StoredSettings;

/** A secret that cannot be decrypted. No request can contain it. */
const UNREADABLE = '\0';

/**
 * Stores the settings of protocols, each as one encrypted document, and also in the columns that an api of an earlier
 * version reads and writes (ADR 0110).
 */
@Injectable()
export class StoredSettingsService {
  constructor(
    private readonly protocols: IdentityProtocolsService,
    private readonly providers: IdentityProvidersRepository,
    private readonly keyring: Keyring,
  ) {}

  /** Returns the settings of a provider, which its protocol validates. @throws UnreadableValueError */
  read(provider: SettingsOwner): unknown {
    return this.readDocument(provider) ?? this.readColumns(provider, (sealed) => this.open(provider, sealed));
  }

  /** Returns the settings of a provider as the API shows them. */
  describe(provider: SettingsOwner): Record<string, unknown> {
    return this.protocols.settingsOf(provider.type).describe(this.readTolerantly(provider));
  }

  /**
   * Returns the settings of a new or changed provider. A secret that cannot be decrypted stays as it is stored, unless the
   * patch replaces it.
   * @param before null for a new provider
   * @throws GatehouseError `validation_failed`
   */
  change(
    id: string,
    type: IdentityProviderType,
    before: StoredSettings | null,
    patch: SettingsPatch,
  ): SettingsChange {
    const format = this.protocols.settingsOf(type);
    const current = before && this.readTolerantly({ id, type, ...before });
    const settings = format.merge(type, current, patch) as OAuthClientSettings;
    return {
      errors: format.errors(type, settings),
      described: format.describe(settings),
      stored: this.toStored(id, settings, before),
    };
  }

  /** Encrypts what a protocol remembers about a flow. @param stateHash identifies the flow */
  sealFlowState(stateHash: Buffer, flowState: FlowState): Buffer {
    return this.keyring.encrypt('identity-flow-state', stateHash.toString('hex'), JSON.stringify(flowState));
  }

  /** Returns what a protocol remembers about a flow. @throws UnreadableValueError */
  openFlowState(stateHash: Buffer, sealed: Buffer): FlowState {
    const text = this.keyring.decrypt('identity-flow-state', stateHash.toString('hex'), sealed);
    return JSON.parse(text) as FlowState;
  }

  /** Stores the documents of the providers that only an earlier version has written. */
  async storeMissing(): Promise<void> {
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const batch = await this.providers.listWithoutSettings(after, BATCH);
      for (const provider of batch) {
        const { settings } = this.change(provider.id, provider.type, provider, {}).stored;
        if (settings) await this.providers.setSettings(provider, settings);
      }
      if (batch.length < BATCH) return;
      after = batch.at(-1)!.id;
    }
  }

  /** Returns the document; null if it is missing, or its entry of GATEHOUSE_SECRET is, which the columns may not need. */
  private readDocument({ id, settings }: SettingsOwner): unknown {
    if (!settings) return null;
    try {
      return JSON.parse(this.keyring.decrypt('identity-provider-settings', id, settings));
    } catch (error) {
      if (error instanceof UnreadableValueError) return null;
      throw error;
    }
  }

  /** Returns the settings, with a placeholder for each secret that cannot be decrypted. */
  private readTolerantly(provider: SettingsOwner): unknown {
    const document =
      this.readDocument(provider) ??
      this.readColumns(provider, (sealed) => {
        try {
          return this.open(provider, sealed);
        } catch (error) {
          if (error instanceof UnreadableValueError) return UNREADABLE;
          throw error;
        }
      });
    return this.protocols.settingsOf(provider.type).read(provider.type, document);
  }

  private readColumns({ columns }: SettingsOwner, open: (sealed: Buffer) => string): OAuthClientSettings {
    const { clientSecret, privateKey } = columns;
    return {
      ...columns,
      clientSecret: clientSecret && open(clientSecret),
      privateKey: privateKey && open(privateKey),
    };
  }

  private toStored(id: string, settings: OAuthClientSettings, before: StoredSettings | null): StoredSettings {
    const isReadable = ![settings.clientSecret, settings.privateKey].includes(UNREADABLE);
    const document = JSON.stringify(settings);
    return {
      settings: isReadable ? this.keyring.encrypt('identity-provider-settings', id, document) : null,
      columns: this.toColumns(id, settings, before?.columns),
    };
  }

  /** Returns what an earlier version reads. A setting that another protocol does not have is empty. */
  private toColumns(
    id: string,
    settings: Partial<OAuthClientSettings>,
    before?: ClientColumns,
  ): ClientColumns {
    const { clientId = '', clientIds = [], tenants = [], scopes = [] } = settings;
    const { teamId = null, keyId = null, requireNonce = false } = settings;
    const seal = (name: 'clientSecret' | 'privateKey') => {
      const secret = settings[name] ?? null;
      if (secret === UNREADABLE) return before![name];
      return secret === null ? null : this.keyring.encrypt('identity-provider-secret', id, secret);
    };
    const secrets = { clientSecret: seal('clientSecret'), privateKey: seal('privateKey') };
    return { clientId, clientIds, tenants, scopes, teamId, keyId, requireNonce, ...secrets };
  }

  private open({ id }: SettingsOwner, sealed: Buffer): string {
    return this.keyring.decrypt('identity-provider-secret', id, sealed);
  }
}
