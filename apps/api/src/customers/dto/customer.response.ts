import { ApiProperty } from '@nestjs/swagger';
import {
  customerJson,
  customerMfaPolicies,
  type Customer,
  type CustomerIdentity,
  type CustomerMfaPolicy,
} from '@gatehouse/domain';
import type { CustomerDetails, CustomerLock } from '@gatehouse/persistence';
import { urlSchema } from '../../http/input/text-schemas.js';
import { CustomerLockResponse } from './customer-lock.response.js';

const toIso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** A customer, as returned by the customer's own routes. */
export class CustomerSummary {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) firstName!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lovelace' }) lastName!: string | null;
  @ApiProperty() emailVerified!: boolean;

  static from({ id, email, firstName, lastName, emailVerified }: CustomerIdentity): CustomerSummary {
    return { id, email, firstName, lastName, emailVerified };
  }
}

/** The `GET /api/v1/me` response. */
export class MeResponse extends CustomerSummary {
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) publicMetadata!: Record<string, unknown>;
  @ApiProperty({ type: String, nullable: true, description: 'Preferred language (BCP 47)', example: 'de-AT' })
  locale!: string | null;
  @ApiProperty({
    type: String,
    ...urlSchema,
    nullable: true,
    description: 'Image from the first identity provider that had one',
  })
  imageUrl!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) updatedAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) lastLoginAt!: string | null;

  static override from(customer: Customer): MeResponse {
    return {
      ...CustomerSummary.from(customer),
      projectId: customer.projectId,
      publicMetadata: customer.publicMetadata,
      locale: customer.locale,
      imageUrl: customer.imageUrl,
      createdAt: customer.createdAt.toISOString(),
      updatedAt: customer.updatedAt.toISOString(),
      lastLoginAt: toIso(customer.lastLoginAt),
    };
  }
}

/** The `CustomerResponse` fields that a sign-in changes. */
export const customerVolatileFields = ['lastLoginAt'] as const;

/** A customer, as returned to secret keys and as included in events. */
export class CustomerResponse extends MeResponse {
  @ApiProperty({ type: String, nullable: true }) externalId!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true }) metadata!: Record<string, unknown>;
  @ApiProperty({
    enum: customerMfaPolicies,
    description:
      'Whether the customer must use a second factor. `inherit`: as the project setting `mfa` specifies',
  })
  mfa!: CustomerMfaPolicy;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) disabledAt!: string | null;

  static override from(customer: Customer): CustomerResponse {
    return customerJson(customer);
  }
}

/** A customer in an operator's list. */
export class ListedCustomerResponse extends CustomerResponse {
  @ApiProperty({
    type: CustomerLockResponse,
    nullable: true,
    description: 'The lock after failed sign-ins. Null if the customer is not locked',
  })
  lock!: CustomerLockResponse | null;

  static fromLocked(customer: Customer, lock: CustomerLock | undefined): ListedCustomerResponse {
    return { ...CustomerResponse.from(customer), lock: lock ? CustomerLockResponse.from(lock) : null };
  }
}

/** A customer, as returned to operators. */
export class OperatorCustomerResponse extends ListedCustomerResponse {
  @ApiProperty({
    description:
      'True if the customer has a password. Invited customers have none until they accept the invitation',
  })
  hasPassword!: boolean;

  static fromDetails(
    { customer, hasPassword }: CustomerDetails,
    lock: CustomerLock | undefined,
  ): OperatorCustomerResponse {
    return { ...ListedCustomerResponse.fromLocked(customer, lock), hasPassword };
  }
}
