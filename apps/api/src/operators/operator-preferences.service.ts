import { Injectable } from '@nestjs/common';
import type { OperatorCaller } from '@gatehouse/auth';
import {
  GatehouseError,
  MAX_SAVED_VIEWS,
  type ConsolePreferences,
  type PreferencesPatch,
  type SavedView,
} from '@gatehouse/domain';
import { OperatorPreferencesRepository, OperatorsRepository, Transactions } from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';

/**
 * Manages an operator's preferences for the display of data in the console. Only the operator can read and change them,
 * and they grant nothing, so they are not in the audit log (ADR 0063).
 */
@Injectable()
export class OperatorPreferencesService {
  constructor(
    private readonly preferences: OperatorPreferencesRepository,
    private readonly operators: OperatorsRepository,
    private readonly transactions: Transactions,
  ) {}

  update({ operatorId }: OperatorCaller, patch: PreferencesPatch): Promise<ConsolePreferences> {
    return this.transactions.run((tx) => this.preferences.merge(tx, operatorId, patch));
  }

  listViews({ operatorId }: OperatorCaller): Promise<SavedView[]> {
    return this.preferences.listViews(operatorId);
  }

  /** @throws GatehouseError `too_many_saved_views` */
  async createView({ operatorId }: OperatorCaller, input: Omit<SavedView, 'id'>): Promise<SavedView> {
    const view = { ...input, id: newId() };
    await this.transactions.run(async (tx) => {
      await this.operators.lock(tx, operatorId);
      if ((await this.preferences.countViews(tx, operatorId)) >= MAX_SAVED_VIEWS)
        throw new GatehouseError('too_many_saved_views');
      await this.preferences.insertView(tx, operatorId, view);
    });
    return view;
  }

  /** @throws GatehouseError `not_found` if the caller has no view with this id */
  updateView({ operatorId }: OperatorCaller, id: string, patch: Partial<SavedView>): Promise<SavedView> {
    return this.transactions.run((tx) => this.preferences.updateView(tx, operatorId, id, patch));
  }

  /** @throws GatehouseError `not_found` if the caller has no view with this id */
  deleteView({ operatorId }: OperatorCaller, id: string): Promise<void> {
    return this.transactions.run((tx) => this.preferences.deleteView(tx, operatorId, id));
  }
}
