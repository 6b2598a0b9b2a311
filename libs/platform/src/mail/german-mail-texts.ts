import type { CustomerMailKind } from './mail-kinds.js';
import type { MailTranslation } from './mail-translation.js';

const bothAddressesNotice = 'Die Änderung wird wirksam, sobald die alte und die neue Adresse bestätigt sind.';

export const germanMailTexts: MailTranslation<CustomerMailKind> = {
  linkLabel: 'Oder öffnen Sie diesen Link:',
  mails: {
    'verify-email': {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse für {{project_name}}',
      heading: 'Bestätigen Sie Ihre E-Mail-Adresse',
      paragraphs: ['Bitte bestätigen Sie, dass {{email}} Ihre E-Mail-Adresse für {{project_name}} ist.'],
      button: 'E-Mail-Adresse bestätigen',
      closing: [
        'Der Link ist {{link_validity}} gültig. Wenn Sie sich nicht bei {{project_name}} registriert haben, können Sie diese E-Mail ignorieren.',
      ],
    },
    'reset-password': {
      subject: 'Setzen Sie Ihr Passwort für {{project_name}} zurück',
      heading: 'Wählen Sie ein neues Passwort',
      paragraphs: [
        'Für das Konto von {{email}} bei {{project_name}} wurde angefordert, das Passwort zurückzusetzen. Wenn Sie das waren, wählen Sie jetzt ein neues Passwort.',
      ],
      button: 'Neues Passwort wählen',
      closing: [
        'Der Link ist {{link_validity}} gültig und kann einmal verwendet werden. Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren: Es ändert sich nichts, solange der Link nicht verwendet wird.',
      ],
    },
    'accept-invite': {
      subject: 'Ihre Einladung zu {{project_name}}',
      heading: 'Willkommen bei {{project_name}}',
      paragraphs: [
        '{{project_name}} hat ein Konto für {{email}} angelegt. Wählen Sie ein Passwort, um es zu nutzen.',
      ],
      button: 'Passwort wählen',
      closing: [
        'Der Link ist {{link_validity}} gültig. Wenn Sie diese Einladung nicht erwartet haben, können Sie diese E-Mail ignorieren.',
      ],
    },
    'change-email-current': {
      subject: 'Bestätigen Sie die Änderung Ihrer E-Mail-Adresse für {{project_name}}',
      heading: 'Bestätigen Sie die Änderung Ihrer E-Mail-Adresse',
      paragraphs: [
        'Es wurde angefordert, die E-Mail-Adresse Ihres Kontos bei {{project_name}} von {{email}} zu {{new_email}} zu ändern. Wenn Sie das waren, bestätigen Sie bitte die Änderung.',
        bothAddressesNotice,
      ],
      button: 'Änderung bestätigen',
      closing: [
        'Der Link ist {{link_validity}} gültig. Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren: Ihre Adresse bleibt unverändert. Ändern Sie jedoch Ihr Passwort, denn wer die Änderung angefordert hat, kennt es.',
      ],
    },
    'change-email-new': {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse für {{project_name}}',
      heading: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      paragraphs: [
        'Es wurde angefordert, {{new_email}} als E-Mail-Adresse eines Kontos bei {{project_name}} zu verwenden. Wenn Sie das waren, bestätigen Sie bitte die Adresse.',
        bothAddressesNotice,
      ],
      button: 'E-Mail-Adresse bestätigen',
      closing: [
        'Der Link ist {{link_validity}} gültig. Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren.',
      ],
    },
    'email-code': {
      subject: '{{code}} ist Ihr Anmeldecode für {{project_name}}',
      heading: 'Ihr Anmeldecode',
      paragraphs: [
        'Geben Sie diesen Code ein, um sich bei {{project_name}} als {{email}} anzumelden:',
        '{{code}}',
      ],
      button: 'Anmelden',
      closing: [
        'Diese E-Mail ist {{code_validity}} und für eine Anmeldung gültig. Geben Sie den Code nicht weiter: {{project_name}} fragt weder am Telefon noch per E-Mail danach.',
        'Wenn Sie diesen Code nicht angefordert haben, können Sie diese E-Mail ignorieren.',
      ],
    },
    'reauthentication-code': {
      subject: '{{code}} ist Ihr Bestätigungscode für {{project_name}}',
      heading: 'Bestätigen Sie, dass Sie es sind',
      paragraphs: [
        'Eine Änderung am Konto von {{email}} bei {{project_name}} erfordert eine Bestätigung. Wenn Sie diese Änderung vornehmen, geben Sie diesen Code ein:',
        '{{code}}',
      ],
      closing: [
        'Der Code ist {{code_validity}} gültig und kann einmal verwendet werden. Geben Sie ihn nicht weiter: {{project_name}} fragt weder am Telefon noch per E-Mail danach.',
        'Wenn Sie keine Änderung vornehmen, ist möglicherweise eine andere Person in Ihrem Konto angemeldet. Melden Sie Ihre anderen Geräte ab.',
      ],
    },
    'already-registered': {
      subject: 'Sie haben bereits ein Konto bei {{project_name}}',
      heading: 'Sie haben bereits ein Konto',
      paragraphs: [
        'Es wurde angefordert, {{email}} für ein Konto bei {{project_name}} zu verwenden, aber für diese Adresse gibt es bereits eines.',
        'Wenn Sie das waren, melden Sie sich stattdessen bei {{project_name}} an. Wenn Sie Ihr Passwort vergessen haben, wählen Sie dort „Passwort vergessen“.',
      ],
      closing: ['Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren: Es hat sich nichts geändert.'],
    },
    'password-changed': {
      subject: 'Ihr Passwort für {{project_name}} wurde geändert',
      heading: 'Ihr Passwort wurde geändert',
      paragraphs: [
        'Das Passwort des Kontos von {{email}} bei {{project_name}} wurde am {{time}} geändert.',
        'Wenn Sie es geändert haben, müssen Sie nichts tun.',
        'Wenn Sie es nicht geändert haben, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Öffnen Sie {{project_name}} wie gewohnt, wählen Sie „Passwort vergessen“ und legen Sie ein neues Passwort fest. Damit werden auch alle Geräte abgemeldet. Wenden Sie sich danach an {{project_name}}.',
      ],
      closing: [],
    },
    'password-closed': {
      subject: 'Legen Sie ein neues Passwort für {{project_name}} fest',
      heading: 'Ihr Passwort gilt nicht mehr',
      paragraphs: [
        'Für das Konto von {{email}} bei {{project_name}} wurde 100-mal in Folge ein falsches Passwort eingegeben. Zum Schutz Ihres Kontos wurde Ihr Passwort am {{time}} gesperrt. Auf Ihren Geräten bleiben Sie angemeldet.',
        'Um sich wieder anzumelden, öffnen Sie {{project_name}} wie gewohnt, wählen Sie „Passwort vergessen“ und legen Sie ein neues Passwort fest.',
      ],
      closing: ['Bei Fragen wenden Sie sich an {{project_name}}.'],
    },
    'factor-added': {
      subject: 'Ihrem Konto bei {{project_name}} wurde ein zweiter Faktor hinzugefügt',
      heading: 'Ein zweiter Faktor wurde hinzugefügt',
      paragraphs: [
        'Dem Konto von {{email}} bei {{project_name}} wurde am {{time}} ein zweiter Faktor hinzugefügt. Ab jetzt ist er bei jeder Anmeldung zusätzlich nötig.',
        'Wenn Sie ihn hinzugefügt haben, müssen Sie nichts tun. Bewahren Sie Ihre Wiederherstellungscodes sicher auf.',
        'Wenn Sie ihn nicht hinzugefügt haben, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Wenden Sie sich sofort an {{project_name}}.',
      ],
      closing: [],
    },
    'factor-removed': {
      subject: 'Aus Ihrem Konto bei {{project_name}} wurde ein zweiter Faktor entfernt',
      heading: 'Ein zweiter Faktor wurde entfernt',
      paragraphs: [
        'Aus dem Konto von {{email}} bei {{project_name}} wurde am {{time}} ein zweiter Faktor entfernt.',
        'Wenn Sie ihn entfernt oder {{project_name}} darum gebeten haben, müssen Sie nichts tun.',
        'Wenn nicht, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Ändern Sie Ihr Passwort und wenden Sie sich sofort an {{project_name}}.',
      ],
      closing: [],
    },
    'passkey-added': {
      subject: 'Ihrem Konto bei {{project_name}} wurde ein Passkey hinzugefügt',
      heading: 'Ein Passkey wurde hinzugefügt',
      paragraphs: [
        'Dem Konto von {{email}} bei {{project_name}} wurde am {{time}} ein Passkey hinzugefügt.',
        'Wenn Sie ihn hinzugefügt haben, müssen Sie nichts tun.',
        'Wenn Sie ihn nicht hinzugefügt haben, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Wenden Sie sich sofort an {{project_name}}.',
      ],
      closing: [],
    },
    'passkey-removed': {
      subject: 'Aus Ihrem Konto bei {{project_name}} wurde ein Passkey entfernt',
      heading: 'Ein Passkey wurde entfernt',
      paragraphs: [
        'Aus dem Konto von {{email}} bei {{project_name}} wurde am {{time}} ein Passkey entfernt.',
        'Wenn Sie ihn entfernt oder {{project_name}} darum gebeten haben, müssen Sie nichts tun. Löschen Sie ihn auch von Ihrem Gerät.',
        'Wenn nicht, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Wenden Sie sich sofort an {{project_name}}.',
      ],
      closing: [],
    },
    'identity-linked': {
      subject: 'Ihrem Konto bei {{project_name}} wurde eine Anmeldemethode hinzugefügt',
      heading: 'Eine Anmeldemethode wurde hinzugefügt',
      paragraphs: [
        'Das Konto von {{email}} bei {{project_name}} wurde am {{time}} mit einem Konto bei einem Identitätsanbieter verknüpft, zum Beispiel Google. Ab jetzt können Sie sich damit anmelden.',
        'Wenn Sie es verknüpft haben, müssen Sie nichts tun.',
        'Wenn Sie es nicht verknüpft haben, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Wenden Sie sich sofort an {{project_name}}.',
      ],
      closing: [],
    },
    'identity-unlinked': {
      subject: 'Aus Ihrem Konto bei {{project_name}} wurde eine Anmeldemethode entfernt',
      heading: 'Eine Anmeldemethode wurde entfernt',
      paragraphs: [
        'Die Verknüpfung des Kontos von {{email}} bei {{project_name}} mit einem Konto bei einem Identitätsanbieter, zum Beispiel Google, wurde am {{time}} entfernt. Damit ist keine Anmeldung mehr möglich.',
        'Wenn Sie sie entfernt oder {{project_name}} darum gebeten haben, müssen Sie nichts tun.',
        'Wenn nicht, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Wenden Sie sich sofort an {{project_name}}.',
      ],
      closing: [],
    },
    'recovery-code-used': {
      subject: 'Ein Wiederherstellungscode Ihres Kontos bei {{project_name}} wurde verwendet',
      heading: 'Ein Wiederherstellungscode wurde verwendet',
      paragraphs: [
        'Für das Konto von {{email}} bei {{project_name}} wurde am {{time}} ein Wiederherstellungscode verwendet. Er kann nicht noch einmal verwendet werden.',
        'Wenn Sie ihn verwendet haben, müssen Sie nichts tun. Wenn Sie Ihre Authenticator-App verloren haben, entfernen Sie sie und richten Sie eine neue ein.',
        'Wenn Sie ihn nicht verwendet haben, hat möglicherweise jemand anderes Zugriff auf Ihr Konto. Ändern Sie Ihr Passwort und wenden Sie sich sofort an {{project_name}}.',
      ],
      closing: [],
    },
  },
};
