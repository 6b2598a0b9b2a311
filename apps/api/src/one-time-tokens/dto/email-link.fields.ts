import { EmailField, SecretField, TextField } from '../../http/input/fields.js';
import { urlSchema } from '../../http/input/text-schemas.js';

/** A link's token, in requests from the page that the link opens. */
export const LinkTokenField = (): PropertyDecorator =>
  SecretField({ description: 'Token from the link in the email', maxLength: 4096 });

export const RedirectUrlField = (
  description = 'URL that the Continue button of the hosted page links to',
): PropertyDecorator =>
  TextField({
    description: `${description}. Must match an entry of the project's redirectUrls exactly, except for a wildcard label or the port of a loopback address`,
    optional: true,
    maxLength: urlSchema.maxLength,
    schema: urlSchema,
  });

/** A request for an email with a link. */
export class EmailLinkRequest {
  @EmailField() email!: string;
  @RedirectUrlField() redirectUrl?: string;
}
