import { ApiProperty } from '@nestjs/swagger';
import type { Organization } from '@gatehouse/domain';
import { slugSchema, urlSchema } from '../../http/input/text-schemas.js';

/** An organization in responses to requests with a secret key and in events. */
export class OrganizationResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Menabrea' }) name!: string;
  @ApiProperty({ ...slugSchema, example: 'menabrea' }) slug!: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Organization that created this organization',
  })
  parentId!: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', ...urlSchema },
    description: 'Origins that the billing portal may link back to. An empty list allows any origin',
  })
  billingReturnOrigins!: string[];

  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) updatedAt!: string;

  static from(organization: Organization): OrganizationResponse {
    return {
      id: organization.id,
      name: organization.name,
      slug: organization.slug,
      parentId: organization.parentId,
      billingReturnOrigins: organization.billingReturnOrigins,
      createdAt: organization.createdAt.toISOString(),
      updatedAt: organization.updatedAt.toISOString(),
    };
  }
}
