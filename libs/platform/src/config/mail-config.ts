import type { Sender } from './sender.js';
import { isRemoteMailServer } from './config-warnings.js';
import type { SettingValues } from './settings.js';

/** The mail server for emails; `smtpUrl` is null if they are captured. */
export interface MailConfig {
  smtpUrl: string | null;
  /** True if no email may be sent over an unencrypted connection. */
  requireTls: boolean;
  from: Sender;
}

/** The setting with a mail server's URL. */
export type MailServerSetting = 'SMTP_URL' | 'ALERT_SMTP_URL';

/** The mail server for alerts. */
export interface AlertMailServer {
  setting: MailServerSetting;
  smtpUrl: string;
  /** As in `MailConfig`. */
  requireTls: boolean;
  /** True if it is not the server that sends all other emails. */
  isSeparate: boolean;
}

const defaultSender: Sender = { name: 'Gatehouse', address: 'no-reply@localhost' };

export function mailConfig(values: SettingValues): MailConfig {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from } = values;
  return {
    smtpUrl,
    requireTls: smtpUrl !== null && requiresTls(smtpUrl, values),
    from: from ?? defaultSender,
  };
}

/** Returns the mail server for alerts, or null if no mail server is configured. */
export function alertMailServer(values: SettingValues): AlertMailServer | null {
  const { SMTP_URL, ALERT_SMTP_URL } = values;
  const smtpUrl = ALERT_SMTP_URL ?? SMTP_URL;
  if (!smtpUrl) return null;
  return {
    setting: ALERT_SMTP_URL ? 'ALERT_SMTP_URL' : 'SMTP_URL',
    smtpUrl,
    requireTls: requiresTls(smtpUrl, values),
    isSeparate: !SMTP_URL || !isSameMailServer(smtpUrl, SMTP_URL),
  };
}

/** Returns the problems with a mail server that production rejects. */
export function mailServerProblems(setting: MailServerSetting, values: SettingValues): string[] {
  const url = values[setting];
  if (!url) return [];
  const { protocol, hostname, password } = new URL(url);
  // The default SMTP_URL in docker-compose.yml, whose server sends no email outside the machine.
  if (/^mailpit$/i.test(hostname))
    return [`${setting} must not use the development mail server (mailpit) in production`];
  const isUnencrypted = protocol === 'smtp:' && !values.SMTP_REQUIRE_TLS && isRemoteMailServer(url);
  if (!isUnencrypted || password === '') return [];
  return [`SMTP_REQUIRE_TLS must be on if ${setting} contains a password, in production`];
}

const requiresTls = (smtpUrl: string, { NODE_ENV, SMTP_REQUIRE_TLS }: SettingValues): boolean =>
  NODE_ENV === 'production' && SMTP_REQUIRE_TLS && isRemoteMailServer(smtpUrl);

/**
 * Returns whether two URLs lead to the same port on the same mail server. As in `isRemoteMailServer`, parameters can
 * name another host.
 */
function isSameMailServer(smtpUrl: string, otherUrl: string): boolean {
  const addressOf = (url: string): string => {
    const { protocol, hostname, port, searchParams } = new URL(url);
    const host = searchParams.get('service') ?? searchParams.get('host') ?? hostname;
    const defaultPort = protocol === 'smtps:' ? '465' : '587';
    return `${host.toLowerCase()}:${searchParams.get('port') ?? (port || defaultPort)}`;
  };
  return addressOf(smtpUrl) === addressOf(otherUrl);
}
