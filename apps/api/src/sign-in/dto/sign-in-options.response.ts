import { ApiProperty } from '@nestjs/swagger';
import {
  mfaPolicies,
  type IdentityProvider,
  type IdentityProviderType,
  type MfaPolicy,
  type ProjectContext,
} from '@gatehouse/domain';
import { slugSchema } from '../../http/input/text-schemas.js';

/** An identity provider that customers can sign in with. */
export class SignInProviderResponse {
  @ApiProperty({ ...slugSchema, example: 'google' }) slug!: string;
  @ApiProperty({ example: 'Google' }) name!: string;
  @ApiProperty({ type: String, example: 'google' }) type!: IdentityProviderType;
}

/** The sign-in methods that customers can use in a project. */
export class SignInOptionsResponse {
  @ApiProperty({ description: 'Customers can sign in with a password' }) password!: boolean;
  @ApiProperty({ description: 'Customers can sign in with a code that they receive by email' })
  emailCode!: boolean;
  @ApiProperty({ description: 'Customers can sign in with a passkey' }) passkey!: boolean;
  @ApiProperty({ description: 'Customers can create accounts' }) allowSignUp!: boolean;
  @ApiProperty({ enum: mfaPolicies, description: 'Use of a second factor' }) mfa!: MfaPolicy;
  @ApiProperty({ type: [SignInProviderResponse] }) providers!: SignInProviderResponse[];

  /**
   * @param hasPasskeys true if the project has a relying party for passkeys
   * @param providers the enabled providers
   */
  static from(
    { settings }: ProjectContext,
    hasPasskeys: boolean,
    providers: IdentityProvider[],
  ): SignInOptionsResponse {
    const { signIn, mfa } = settings;
    const { password, emailCode, allowSignUp } = signIn;
    return {
      ...{ password, emailCode, passkey: signIn.passkey && hasPasskeys, allowSignUp, mfa },
      providers: providers.map(({ slug, name, type }) => ({ slug, name, type })),
    };
  }
}

/** The sign-in methods for an email domain in a project. */
export class EmailSignInOptionsResponse extends SignInOptionsResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description: "Identity provider for the email address's domain, or null if there is none",
    example: null,
  })
  provider!: string | null;
}
