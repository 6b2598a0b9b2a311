import { createHmac, hash } from 'node:crypto';
import { canonicalPassword } from '@gatehouse/domain';

/** Returns the strings that another system may have hashed for a password. A hash must match one of them. */
export type PasswordForms = (password: string) => string[];

/** The password as typed, which most systems hash, and its NFC form (RFC 8265), which some systems hash. */
export const typedForms: PasswordForms = (password) => [password, canonicalPassword(password)];

/** The NFKC form, which Better Auth hashes (packages/better-auth/src/crypto/password.ts). */
export const compatibleForm: PasswordForms = (password) => [password.normalize('NFKC')];

/** The hexadecimal SHA-256, which BCryptSHA256PasswordHasher in Django hashes (django/contrib/auth/hashers.py). */
export const djangoSha256Forms: PasswordForms = (password) =>
  typedForms(password).map((form) => hash('sha256', form, 'hex'));

/**
 * The forms that WordPress hashes: without surrounding whitespace (`wp_hash_password`, wp-includes/pluggable.php), and
 * with added slashes if the password was sent with a form (`wp_signon` reads `$_POST`, which `wp_magic_quotes`
 * modifies).
 */
export const wordPressForms: PasswordForms = (password) =>
  typedForms(password).flatMap((form) => {
    const trimmed = trimAsPhp(form);
    return [trimmed, trimmed.replace(/['"\\]/g, String.raw`\$&`)];
  });

/** The base64 of HMAC-SHA-384, which WordPress 6.8 hashes so that bcrypt does not truncate it (`wp_hash_password`). */
export const wordPressHmacForms: PasswordForms = (password) =>
  wordPressForms(password).map((form) => createHmac('sha384', 'wp-sha384').update(form).digest('base64'));

/** The password with HTML entities, which phpBB hashes (`set_var`, phpbb/request/type_cast_helper.php). */
export const phpBbForms: PasswordForms = (password) =>
  typedForms(password).flatMap((form) => [
    form,
    form.replace(/[&<>"]/g, (character) => HTML_ENTITIES[character]!),
  ]);

const HTML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The characters that PHP's trim() removes. */
const PHP_SPACE = /^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g;

const trimAsPhp = (text: string): string => text.replace(PHP_SPACE, '');
