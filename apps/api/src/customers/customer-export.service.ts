import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  CustomerRecordsRepository,
  CustomersRepository,
  FactorsRepository,
  Transactions,
} from '@gatehouse/persistence';
import { now } from '@gatehouse/platform';
import { AuditService, customerAction } from '../audit/audit.service.js';
import { CustomerExportResponse } from './dto/customer-export.response.js';

/** Maximum number of entries per list. The newest entries are exported. */
const MAX_RECORDS = 10_000;

/** Exports all data stored about one customer. */
@Injectable()
export class CustomerExportService {
  constructor(
    private readonly customers: CustomersRepository,
    private readonly records: CustomerRecordsRepository,
    private readonly factors: FactorsRepository,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
  ) {}

  /** @throws GatehouseError `not_found` */
  async export({ accessScope }: ManagementCaller, id: string): Promise<CustomerExportResponse> {
    const details = await this.customers.get(accessScope, id);
    const { customer, project } = details;
    const exported = await this.records.readAll(accessScope, id, MAX_RECORDS + 1);
    const factors = await this.factors.list(id);
    await this.transactions.join((tx) =>
      this.audit.record(tx, customerAction('customer.exported', customer, project)),
    );
    return CustomerExportResponse.from(details, exported, factors, MAX_RECORDS, now());
  }
}
