import { accountDe } from './account-de.js';
import type { Texts } from './texts.js';

/** The German texts. */
export const de: Texts = {
  language: 'de',
  ...accountDe,

  // Sign-in and sign-up
  signIn: 'Anmelden',
  signUp: 'Konto erstellen',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  passwordHint: 'Verwenden Sie einen langen Satz, den Sie sonst nirgends verwenden.',
  showPassword: 'Passwort anzeigen',
  hidePassword: 'Passwort verbergen',
  forgotPassword: 'Passwort vergessen?',
  emailCode: 'Code per E-Mail senden',
  emailCodeHint:
    'Wir senden einen Code an Ihre E-Mail-Adresse. Wenn Sie noch kein Konto haben, wird eines erstellt.',
  passkey: 'Mit einem Passkey anmelden',
  provider: 'Weiter mit {name}',
  or: 'oder',
  noAccount: 'Noch kein Konto?',
  hasAccount: 'Sie haben bereits ein Konto?',
  back: 'Zurück zur Anmeldung',
  noMethod: 'Hier wird keine Anmeldung angeboten.',

  // Sign-in steps
  resetTitle: 'Passwort zurücksetzen',
  resetText:
    'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen.',
  resetButton: 'Link senden',
  inboxTitle: 'Prüfen Sie Ihren Posteingang',
  resetSent:
    'Wenn es ein Konto für {email} gibt, haben wir einen Link gesendet, mit dem Sie ein neues Passwort wählen. Er kann eine Minute brauchen.',
  verifyTitle: 'Bestätigen Sie Ihre E-Mail-Adresse',
  verifyText:
    'Wir haben eine Nachricht an {email} gesendet. Öffnen Sie den Link darin und melden Sie sich dann an.',
  verifyButton: 'Nachricht erneut senden',
  yourEmail: 'Ihre E-Mail-Adresse',
  sent: 'Die Nachricht wurde gesendet.',
  codeTitle: 'Code eingeben',
  codeText: 'Wir haben einen Code an {email} gesendet. Er ist zehn Minuten gültig.',
  code: 'Code',
  continue: 'Weiter',
  newCode: 'Neuen Code senden',
  factorTitle: 'Bestätigen Sie, dass Sie es sind',
  factorTotp: 'Geben Sie den Code ein, den Ihre Authenticator-App anzeigt.',
  factorPasskey: 'Verwenden Sie Ihren Passkey, um fortzufahren.',
  factorRecovery: 'Geben Sie einen der Wiederherstellungscodes ein, die Sie gespeichert haben.',
  totpCode: 'Code der Authenticator-App',
  usePasskey: 'Passkey verwenden',
  useTotp: 'Authenticator-App verwenden',
  useRecoveryCode: 'Wiederherstellungscode verwenden',
  recoveryCode: 'Wiederherstellungscode',
  enrollTitle: 'Schützen Sie Ihr Konto',
  enrollText: 'Diese Anwendung verlangt einen zweiten Schritt.',
  qrCode: 'QR-Code für Ihre Authenticator-App',
  secret: 'Wenn Sie ihn nicht scannen können, geben Sie diesen Schlüssel in die App ein:',
  confirm: 'Bestätigen',
  addPasskeyInstead: 'Stattdessen einen Passkey hinzufügen',
  addPasskey: 'Passkey hinzufügen',
  codesTitle: 'Speichern Sie Ihre Wiederherstellungscodes',
  codesText:
    'Jeder Code ersetzt einmal den zweiten Schritt, zum Beispiel wenn Sie Ihr Telefon verlieren. Bewahren Sie die Codes sicher auf: Sie werden nicht noch einmal angezeigt.',
  codesButton: 'Ich habe die Codes gespeichert',
  copy: 'Codes kopieren',
  copied: 'Kopiert',

  // Shared by all components
  loading: 'Wird geladen',
  retry: 'Erneut versuchen',

  errors: {
    required: 'Füllen Sie dieses Feld aus.',
    email_invalid: 'Geben Sie eine gültige E-Mail-Adresse ein.',
    email_unchanged: 'Das ist bereits Ihre E-Mail-Adresse.',
    wrong_password: 'Das Passwort ist nicht richtig.',
    invalid: 'Prüfen Sie dieses Feld.',
    invalid_credentials: 'Die E-Mail-Adresse oder das Passwort ist nicht richtig.',
    customer_disabled: 'Dieses Konto ist gesperrt. Wenden Sie sich an uns.',
    email_not_verified:
      'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Öffnen Sie den Link in der E-Mail, die wir gesendet haben.',
    method_not_enabled: 'Diese Anmeldung wird nicht angeboten.',
    sign_up_not_allowed: 'Hier können keine neuen Konten erstellt werden.',
    email_already_registered: 'Für diese E-Mail-Adresse gibt es bereits ein Konto. Melden Sie sich an.',
    invalid_code: 'Der Code ist nicht richtig oder abgelaufen.',
    invalid_token: 'Der Link ist nicht gültig oder abgelaufen.',
    challenge_expired: 'Diese Anmeldung hat zu lange gedauert. Melden Sie sich erneut an.',
    passkey_not_accepted:
      'Der Passkey wurde nicht angenommen. Versuchen Sie es erneut, oder melden Sie sich auf einem anderen Weg an.',
    passkey_canceled:
      'Der Passkey wurde nicht verwendet. Versuchen Sie es erneut, oder melden Sie sich auf einem anderen Weg an.',
    passkey_failed:
      'Der Passkey wurde nicht verwendet. Versuchen Sie es erneut, oder melden Sie sich auf einem anderen Weg an.',
    passkey_already_added: 'Dieses Gerät hat bereits einen Passkey für Ihr Konto.',
    passkeys_not_supported: 'Dieser Browser kann hier keine Passkeys verwenden.',
    too_many_passkeys: 'Dieses Konto hat zu viele Passkeys.',
    provider_not_found: 'Diese Anmeldung wird nicht angeboten.',
    provider_unavailable:
      'Der Anbieter ist nicht erreichbar. Versuchen Sie es gleich noch einmal, oder melden Sie sich auf einem anderen Weg an.',
    sign_in_failed:
      'Die Anmeldung beim Anbieter ist fehlgeschlagen. Versuchen Sie es erneut, oder melden Sie sich auf einem anderen Weg an.',
    access_denied: 'Die Anmeldung beim Anbieter wurde abgebrochen.',
    account_exists:
      'Für diese E-Mail-Adresse gibt es bereits ein Konto. Melden Sie sich so an, wie Sie es bisher getan haben.',
    email_required:
      'Der Anbieter hat keine E-Mail-Adresse übermittelt. Geben Sie sie dort frei, oder melden Sie sich auf einem anderen Weg an.',
    identity_already_linked: 'Dieses Konto des Anbieters ist mit einem anderen Konto verknüpft.',
    last_sign_in_method: 'Das ist Ihre letzte Anmeldemöglichkeit. Fügen Sie zuerst eine andere hinzu.',
    sso_required: 'Ihre Organisation verlangt für diese E-Mail-Adresse ihre eigene Anmeldung.',
    conflict: 'Diese Änderung ist zurzeit nicht möglich.',
    not_found: 'Diesen Eintrag gibt es nicht mehr. Laden Sie die Seite neu.',
    weak_password: 'Wählen Sie ein anderes Passwort.',
    too_many_attempts: 'Zu viele fehlgeschlagene Versuche. Versuchen Sie es in {wait} erneut.',
    rate_limited: 'Zu viele Anfragen. Versuchen Sie es in {wait} erneut.',
    overloaded: 'Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal.',
    unavailable: 'Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es gleich noch einmal.',
    network_error: 'Es besteht keine Verbindung. Prüfen Sie Ihr Netzwerk und versuchen Sie es erneut.',
    timeout: 'Der Dienst antwortet nicht. Versuchen Sie es gleich noch einmal.',
    reauthentication_required: 'Bestätigen Sie, dass Sie es sind, und versuchen Sie es erneut.',
    signed_out: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
    unknown: 'Etwas ist schiefgelaufen. Versuchen Sie es gleich noch einmal.',
  },
  reasons: {
    too_short: 'Wählen Sie ein längeres Passwort.',
    too_long: 'Wählen Sie ein kürzeres Passwort.',
    too_many_bytes: 'Wählen Sie ein kürzeres Passwort.',
    too_common: 'Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.',
    contains_personal_data:
      'Verwenden Sie weder Ihre E-Mail-Adresse noch den Namen dieses Dienstes als Passwort.',
    breached: 'Dieses Passwort ist bei einem Datenleck bekannt geworden. Wählen Sie ein anderes.',
  },
};
