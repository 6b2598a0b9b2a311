import { createHmac, hash } from 'node:crypto';
import { canonicalPassword } from '@gatehouse/domain';

/** Returns the strings that another system may have hashed for a password. A password must match one of them. */
export type PasswordForms = (password: string) => string[];

/**
 * The password as it was typed, and its NFC form (RFC 8265). Most systems hash the first one, some the second
 * one.
 */
export const typedForms: PasswordForms = (password) => [password, canonicalPassword(password)];

/** Better Auth: the NFKC form (packages/better-auth/src/crypto/password.ts). */
export const compatibleForm: PasswordForms = (password) => [password.normalize('NFKC')];

/** Django's BCryptSHA256PasswordHasher: SHA-256 in hexadecimal digits (django/contrib/auth/hashers.py). */
export const djangoSha256Forms: PasswordForms = (password) =>
  typedForms(password).map((form) => hash('sha256', form, 'hex'));

/**
 * WordPress: without white space at the ends (`wp_hash_password`, wp-includes/pluggable.php). Its forms add
 * slashes to the passwords (`wp_signon` reads `$_POST`, which `wp_magic_quotes` changes), its other interfaces
 * do not.
 */
export const wordPressForms: PasswordForms = (password) =>
  typedForms(password).flatMap((form) => {
    const trimmed = trimAsPhp(form);
    return [trimmed, trimmed.replace(/['"\\]/g, String.raw`\$&`)];
  });

/** WordPress 6.8: base64 of HMAC-SHA-384, so that bcrypt truncates nothing (`wp_hash_password`). */
export const wordPressHmacForms: PasswordForms = (password) =>
  wordPressForms(password).map((form) => createHmac('sha384', 'wp-sha384').update(form).digest('base64'));

/** phpBB: with HTML entities (`set_var`, phpbb/request/type_cast_helper.php). */
export const phpBbForms: PasswordForms = (password) =>
  typedForms(password).flatMap((form) => [
    form,
    form.replace(/[&<>"]/g, (character) => HTML_ENTITIES[character]!),
  ]);

const HTML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The characters that PHP's trim() removes. */
const PHP_SPACE = /^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g;

const trimAsPhp = (text: string): string => text.replace(PHP_SPACE, '');
