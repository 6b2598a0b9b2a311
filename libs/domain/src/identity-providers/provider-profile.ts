import { canonicalEmail } from '../customers/email.js';
import { canonicalName, isVisible } from '../values/name.js';
import { parseUrl } from '../urls/parse-url.js';

/** A provider's claims about a user, from an id token, the userinfo endpoint, or an API. */
export type ProviderClaims = Readonly<Record<string, unknown>>;

/** A user's profile at a provider. */
export interface ProviderProfile {
  /** Identifies the user at the provider permanently, unlike an email address. */
  subject: string;
  /** In canonical form; null if the provider returns none. */
  email: string | null;
  /**
   * True if the provider is trusted to have verified that the user owns the email address (sign-in contract, section
   * 4).
   */
  isEmailTrusted: boolean;
  firstName: string | null;
  lastName: string | null;
  /** https URL. */
  imageUrl: string | null;
}

/** Maximum subject length (OpenID Connect Core, section 2). */
export const SUBJECT_LENGTH = 255;
const NAME_LENGTH = 100;
const IMAGE_URL_LENGTH = 2048;

/** Returns whether a string is a valid subject. */
export const isSubject = (text: string): boolean =>
  text !== '' && text.length <= SUBJECT_LENGTH && !/[\p{Cc}\p{Cs}]/u.test(text);

const nonEmptyString = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** Returns a name in canonical form without control characters; null if the value is not a visible name. */
export function readPersonName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = canonicalName(value.replace(/[\p{Cc}\p{Cs}]+/gu, ' '));
  return isVisible(text) ? Array.from(text).slice(0, NAME_LENGTH).join('').trim() : null;
}

/** Returns an https image URL; null for any other value, because pages load images only from https URLs. */
export function readImageUrl(value: unknown): string | null {
  const text = nonEmptyString(value);
  const url = text && text.length <= IMAGE_URL_LENGTH ? parseUrl(text) : null;
  const isImage = url?.protocol === 'https:' && url.username === '' && url.href.length <= IMAGE_URL_LENGTH;
  return isImage ? url.href : null;
}

/** Returns the email address in the claims in canonical form; null if they contain no valid one. */
export const readEmail = ({ email }: ProviderClaims): string | null =>
  typeof email === 'string' ? canonicalEmail(email) : null;

/** The claims whose values are strings. Any other value counts as absent. */
const textClaims = ['name', 'given_name', 'family_name', 'picture'];

/** The email address and the claims about its ownership. They must come from the same source. */
const emailClaims = ['email', 'email_verified', 'hd', 'xms_edov'];

const isPresent = (name: string, value: unknown): boolean =>
  textClaims.includes(name) ? nonEmptyString(value) !== null : value !== null && value !== '';

const presentClaims = (claims: ProviderClaims): ProviderClaims =>
  Object.fromEntries(Object.entries(claims).filter(([name, value]) => isPresent(name, value)));

/** Returns whether an id token contains every profile field. If not, the userinfo endpoint may return more. */
export const isProfileComplete = (idToken: ProviderClaims): boolean => {
  const { name, given_name: givenName, family_name: familyName, picture } = presentClaims(idToken);
  return readEmail(idToken) !== null && !!(name ?? givenName ?? familyName) && !!picture;
};

/** Values of `email_verified` that are not a denial. Some providers send strings or numbers. */
const notDenied: unknown[] = [undefined, null, '', true, 'true', 'True', 1, '1'];

/** Returns whether the claims state that the email address is not verified. */
export const deniesEmail = ({ email_verified: isVerified }: ProviderClaims): boolean =>
  !notDenied.includes(isVerified);

/**
 * Adds the claims of the userinfo endpoint to the id token's claims, which take precedence. An email address is
 * not verified if either source denies it.
 */
export function mergeUserInfo(idToken: ProviderClaims, userInfo: ProviderClaims): ProviderClaims {
  const source = readEmail(idToken) === null ? userInfo : idToken;
  const chosenEmailClaims = Object.fromEntries(emailClaims.map((name) => [name, source[name]]));
  const denial = [idToken, userInfo].some(deniesEmail) ? { email_verified: false } : {};
  return { ...presentClaims(userInfo), ...presentClaims(idToken), ...chosenEmailClaims, ...denial };
}

/** Returns the given name and the family name. If the claims contain only a full name, it is split. */
function readNames(claims: ProviderClaims): Pick<ProviderProfile, 'firstName' | 'lastName'> {
  const [firstName, lastName] = [readPersonName(claims['given_name']), readPersonName(claims['family_name'])];
  if (firstName || lastName) return { firstName, lastName };
  const [first, ...others] = readPersonName(claims['name'])?.split(/\s+/) ?? [];
  return { firstName: first ?? null, lastName: others.join(' ') || null };
}

/**
 * Returns the profile in standard claims (OpenID Connect Core, section 5.1); null without a valid subject.
 * @param isEmailTrusted whether the provider is trusted to have verified the email address in these claims
 */
export function readProfile(claims: ProviderClaims, isEmailTrusted: boolean): ProviderProfile | null {
  const subject = claims['sub'];
  if (typeof subject !== 'string' || !isSubject(subject)) return null;
  const email = readEmail(claims);
  return {
    subject,
    email,
    isEmailTrusted: email !== null && isEmailTrusted,
    ...readNames(claims),
    imageUrl: readImageUrl(claims['picture']),
  };
}

/** Returns the domain of an email address in canonical form. */
export const emailDomain = (email: string): string => email.slice(email.lastIndexOf('@') + 1);
