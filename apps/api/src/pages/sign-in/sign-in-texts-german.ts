import type { SignInTexts } from './sign-in-texts-english.js';

export const germanSignInTexts: SignInTexts = {
  signIn: 'Anmelden',
  signUp: 'Konto erstellen',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  forgotLink: 'Passwort vergessen?',
  emailCode: 'Code per E-Mail senden',
  emailCodeHint:
    'Wir senden einen Code an Ihre E-Mail-Adresse. Wenn Sie noch kein Konto haben, wird eines erstellt.',
  passkey: 'Mit einem Passkey anmelden',
  provider: (name) => `Weiter mit ${name}`,
  omittedProviders: (names) =>
    `Diese Anwendung verlangt eine neue Anmeldung. Diese Anbieter können sie nicht bestätigen: ${names.join(', ')}.`,
  or: 'oder',
  noAccount: 'Noch kein Konto?',
  signUpLink: 'Konto erstellen',
  signUpButton: 'Konto erstellen',
  hasAccount: 'Sie haben bereits ein Konto?',
  back: 'Zurück zur Anmeldung',
  noMethod: 'Diese Seite bietet keine Anmeldung an. Kehren Sie zur Anwendung zurück.',
  passwordHint: (minLength) => `Mindestens ${minLength} Zeichen`,
  forgotPassword: {
    title: 'Passwort zurücksetzen',
    text: 'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen.',
    button: 'Link senden',
  },
  resetSent: {
    title: 'Prüfen Sie Ihren Posteingang',
    text: (email) =>
      `Wenn es ein Konto für ${email ?? 'diese E-Mail-Adresse'} gibt, haben wir einen Link gesendet, mit dem Sie ein neues Passwort wählen. Er kann eine Minute brauchen.`,
  },
  checkInbox: {
    title: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: (email) =>
      `Wir haben eine Nachricht an ${email ?? 'Ihre E-Mail-Adresse'} gesendet. Öffnen Sie den Link darin und melden Sie sich dann an.`,
    button: 'Nachricht erneut senden',
  },
  enterCode: {
    title: 'Code eingeben',
    text: (email) =>
      `Wir haben einen Code an ${email ?? 'Ihre E-Mail-Adresse'} gesendet. Er ist zehn Minuten gültig.`,
    label: 'Code',
    button: 'Weiter',
    again: 'Neuen Code senden',
  },
  secondFactor: {
    title: 'Bestätigen Sie, dass Sie es sind',
    totp: 'Geben Sie den Code ein, den Ihre Authenticator-App anzeigt.',
    code: 'Code der Authenticator-App',
    passkeyOnly: 'Verwenden Sie Ihren Passkey, um fortzufahren.',
    passkey: 'Passkey verwenden',
    recovery: 'Wiederherstellungscode verwenden',
    recoveryCode: 'Wiederherstellungscode',
    button: 'Weiter',
    unavailable:
      'Ihr Passkey kann auf dieser Seite nicht verwendet werden. Wenden Sie sich an die Anwendung.',
  },
  enroll: {
    title: 'Schützen Sie Ihr Konto',
    text: 'Diese Anwendung verlangt einen zweiten Schritt. Scannen Sie den QR-Code mit einer Authenticator-App und geben Sie dann den Code ein, den sie anzeigt.',
    qrCode: 'QR-Code für Ihre Authenticator-App',
    secret: 'Wenn Sie ihn nicht scannen können, geben Sie diesen Schlüssel in die App ein:',
    code: 'Code der Authenticator-App',
    button: 'Bestätigen',
    passkey: 'Stattdessen einen Passkey hinzufügen',
  },
  recoveryCodes: {
    title: 'Speichern Sie Ihre Wiederherstellungscodes',
    text: 'Jeder Code ersetzt einmal den zweiten Schritt, zum Beispiel wenn Sie Ihr Telefon verlieren. Bewahren Sie die Codes sicher auf: Sie werden nicht noch einmal angezeigt.',
    button: 'Ich habe die Codes gespeichert',
  },
  script: {
    failed:
      'Der Passkey wurde nicht verwendet. Versuchen Sie es erneut, oder melden Sie sich auf einem anderen Weg an.',
  },
  request: {
    title: 'Diese Seite kann nicht geöffnet werden',
    text: 'Die Anwendung hat die Anmeldeseite mit einer fehlerhaften Anfrage geöffnet. Kehren Sie zur Anwendung zurück, oder informieren Sie ihren Entwickler:',
    returnText: 'Kehren Sie zur Anwendung zurück und melden Sie sich erneut an.',
  },
  minutes: (count) => (count === 1 ? '1 Minute' : `${count} Minuten`),
  hours: (count) => (count === 1 ? '1 Stunde' : `${count} Stunden`),
  tooManyAttempts: (wait) => `Zu viele fehlgeschlagene Versuche. Versuchen Sie es in ${wait} erneut.`,
  ssoRequired: 'Ihre Organisation verlangt für diese E-Mail-Adresse ihre eigene Anmeldung.',
  emailRequired:
    'Der Anbieter hat keine E-Mail-Adresse übermittelt. Geben Sie Ihre ein, und wir bestätigen sie mit einem Code.',
  emailRequiredOnly:
    'Der Anbieter hat keine E-Mail-Adresse übermittelt, die diese Anwendung benötigt. Geben Sie sie dort frei, oder melden Sie sich auf einem anderen Weg an.',
  problems: {
    email_invalid: 'Geben Sie eine gültige E-Mail-Adresse ein.',
    password_missing: 'Geben Sie Ihr Passwort ein.',
    invalid_credentials: 'Die E-Mail-Adresse oder das Passwort ist nicht richtig.',
    customer_disabled: 'Dieses Konto ist gesperrt. Wenden Sie sich an die Anwendung.',
    email_not_verified:
      'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Öffnen Sie den Link in der E-Mail, die wir gesendet haben.',
    method_not_enabled: 'Diese Anmeldung wird nicht angeboten.',
    sign_up_not_allowed: 'Hier können keine neuen Konten erstellt werden.',
    email_already_registered: 'Für diese E-Mail-Adresse gibt es bereits ein Konto. Melden Sie sich an.',
    invalid_code: 'Der Code ist nicht richtig oder abgelaufen.',
    invalid_return: 'Diese Anmeldung ist beendet. Melden Sie sich erneut an.',
    challenge_expired: 'Diese Anmeldung hat zu lange gedauert. Melden Sie sich erneut an.',
    passkey_not_accepted:
      'Der Passkey wurde nicht angenommen. Versuchen Sie es erneut, oder melden Sie sich auf einem anderen Weg an.',
    too_many_passkeys: 'Dieses Konto hat zu viele Passkeys.',
    provider_not_found: 'Diese Anmeldung wird nicht angeboten.',
    provider_unavailable:
      'Der Anbieter ist nicht erreichbar. Versuchen Sie es gleich noch einmal, oder melden Sie sich auf einem anderen Weg an.',
    sign_in_failed:
      'Die Anmeldung beim Anbieter ist fehlgeschlagen. Versuchen Sie es erneut, oder melden Sie sich auf einem anderen Weg an.',
    access_denied: 'Die Anmeldung beim Anbieter wurde abgebrochen.',
    account_exists:
      'Für diese E-Mail-Adresse gibt es bereits ein Konto. Melden Sie sich so an, wie Sie es bisher getan haben.',
    identity_already_linked: 'Dieses Konto des Anbieters ist mit einem anderen Konto verknüpft.',
    overloaded: 'Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal.',
    unavailable: 'Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es gleich noch einmal.',
  },
};
