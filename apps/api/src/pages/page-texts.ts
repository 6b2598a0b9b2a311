import {
  PASSWORD_MAX_LENGTH,
  passwordWeaknessMessage,
  preferredLanguages,
  type ErrorCode,
  type LanguagePreference,
  type PasswordWeakness,
} from '@gatehouse/domain';
import type { BuiltInLanguage } from '@gatehouse/platform';

type ErrorTexts = Partial<Record<ErrorCode, string>>;

const english = {
  language: 'en' as BuiltInLanguage,
  close: 'You can close this page.',
  continueButton: 'Continue',
  alreadyConfirmed: 'Already confirmed',
  alreadyUsed: 'This link has already been used.',
  invalidLink: {
    title: 'This link is not valid',
    text: 'The link is incomplete or was replaced by a newer one. Use the link in the most recent email.',
  },
  expiredLink: {
    title: 'This link has expired',
    text: (email: string) => `We can send a new link to ${email}`,
    button: 'Send a new link',
  },
  newLink: {
    title: 'Check your inbox',
    text: (email: string) => `It can take a minute for the new link to arrive at ${email}`,
  },
  verifyEmail: {
    title: 'Confirm your email address',
    text: (email: string) => `Is ${email} your email address?`,
    button: 'Confirm email address',
    done: 'Email address confirmed',
    doneText: (email: string) => `Thank you for confirming ${email}.`,
    alreadyDoneText: (email: string) => `${email} is already confirmed.`,
  },
  disown: {
    link: "I didn't create this account",
    created: (time: string, device: string | null) =>
      `This account was created on ${time}${device ? ` with ${device}` : ''}.`,
    confirm: {
      title: 'Remove all access to this account?',
      text: (email: string) =>
        `If you did not create the account of ${email}, another person may know its password. Removing all access deletes the password and signs out all devices. Nothing else is deleted.`,
      button: 'Remove all access',
    },
    done: {
      title: 'All access has been removed',
      text: (email: string) =>
        `To use the account, set a password with the link that we have sent to ${email}. If you do not want the account, you can ignore that email.`,
    },
    alreadyDone: {
      title: 'All access has already been removed',
      text: (email: string) =>
        `Since this link was sent, the owner of ${email} has removed all earlier access to the account. To remove all access again, choose "Forgot password" where you sign in.`,
    },
    expired: {
      title: 'This link has expired',
      text: (email: string) =>
        `To remove all access to the account of ${email}, choose "Forgot password" where you sign in. A new password signs out all devices.`,
    },
  },
  emailSignIn: {
    title: 'Sign in',
    text: (name: string, email: string) => `Sign in to ${name} as ${email}?`,
    hint: (code: string) =>
      `If you started to sign in on another device or in another browser, enter the code ${code} there.`,
    button: 'Sign in',
    endedText:
      'The link has expired, was already used or is incomplete. Request a new email where you sign in.',
  },
  providerReturn: {
    title: 'This sign-in has ended',
    text: 'It took longer than ten minutes, was already completed, or did not begin in this browser. Return to the page where you wanted to sign in, and begin again.',
  },
  resetPassword: {
    title: 'Choose a new password',
    text: (email: string) => `For your account ${email}`,
    button: 'Set new password',
    done: 'Your password has been changed',
  },
  acceptInvite: {
    title: 'Welcome',
    text: (email: string) => `Choose a password for your account ${email}`,
    button: 'Set password',
    done: 'Your account is ready',
  },
  password: {
    label: 'New password',
    hint: (minLength: number) => `At least ${minLength} characters. Any character is allowed.`,
    weakness: passwordWeaknessMessage,
    doneText: (email: string) => `You can now sign in as ${email}.`,
  },
  changeEmail: {
    title: 'Change your email address',
    text: (email: string, newEmail: string) => `Change your email address from ${email} to ${newEmail}?`,
    button: 'Confirm the change',
    done: 'Your email address has been changed',
    doneText: (newEmail: string) => `${newEmail} is now your email address.`,
    oneMoreStep: 'One more step',
    oneMoreStepText:
      'Open the link in the email that was sent to your other address. The change takes effect when both addresses are confirmed.',
    expiredText: 'Request the email address change again.',
  },
  billing: {
    title: 'Billing',
    text: 'Your plan is “Self-hosted: everything included”. No payment is required.',
    back: (host: string) => `Back to ${host}`,
    retryText: 'Go back to the application and open the billing page again.',
  },
  error: {
    title: 'Something went wrong',
    text: 'Open the link in your email again.',
    texts: {
      rate_limited: 'Too many requests. Wait a minute and try again.',
      overloaded: 'The service is busy. Go back and try again in a moment.',
      unavailable: 'The service is temporarily unavailable. Go back and try again in a moment.',
      internal_error: 'An unexpected error occurred. Go back and try again in a moment.',
      email_already_registered:
        'Another account already uses this email address. Your address was not changed.',
      invalid_token: 'The link has already been used or was replaced.',
      method_not_enabled: 'Sign-in with a password is no longer available. Use another sign-in method.',
    } as ErrorTexts,
  },
};

/** Texts of the hosted pages in one language. They are escaped when a page is rendered. */
export type PageTexts = typeof english;

const german: PageTexts = {
  language: 'de',
  close: 'Sie können diese Seite schließen.',
  continueButton: 'Weiter',
  alreadyConfirmed: 'Bereits bestätigt',
  alreadyUsed: 'Dieser Link wurde bereits verwendet.',
  invalidLink: {
    title: 'Dieser Link ist nicht gültig',
    text: 'Der Link ist unvollständig oder wurde durch einen neueren ersetzt. Verwenden Sie den Link in der neuesten E-Mail.',
  },
  expiredLink: {
    title: 'Dieser Link ist abgelaufen',
    text: (email) => `Wir können einen neuen Link an ${email} senden`,
    button: 'Neuen Link senden',
  },
  newLink: {
    title: 'Prüfen Sie Ihren Posteingang',
    text: (email) => `Es kann eine Minute dauern, bis der neue Link bei ${email} ankommt`,
  },
  verifyEmail: {
    title: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: (email) => `Ist ${email} Ihre E-Mail-Adresse?`,
    button: 'E-Mail-Adresse bestätigen',
    done: 'E-Mail-Adresse bestätigt',
    doneText: (email) => `Danke, dass Sie ${email} bestätigt haben.`,
    alreadyDoneText: (email) => `${email} ist bereits bestätigt.`,
  },
  disown: {
    link: 'Ich habe dieses Konto nicht erstellt',
    created: (time, device) => `Dieses Konto wurde am ${time}${device ? ` mit ${device}` : ''} erstellt.`,
    confirm: {
      title: 'Alle Zugänge zu diesem Konto entfernen?',
      text: (email) =>
        `Wenn Sie das Konto von ${email} nicht erstellt haben, kennt möglicherweise eine andere Person sein Passwort. Dabei wird das Passwort gelöscht, und alle Geräte werden abgemeldet. Sonst wird nichts gelöscht.`,
      button: 'Alle Zugänge entfernen',
    },
    done: {
      title: 'Alle Zugänge wurden entfernt',
      text: (email) =>
        `Um das Konto zu verwenden, legen Sie mit dem Link, den wir an ${email} gesendet haben, ein Passwort fest. Wenn Sie das Konto nicht möchten, können Sie diese E-Mail ignorieren.`,
    },
    alreadyDone: {
      title: 'Alle Zugänge wurden bereits entfernt',
      text: (email) =>
        `Seit dieser Link gesendet wurde, wurden alle früheren Zugänge zum Konto von ${email} entfernt. Um erneut alle Zugänge zu entfernen, wählen Sie bei der Anmeldung „Passwort vergessen“.`,
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: (email) =>
        `Um alle Zugänge zum Konto von ${email} zu entfernen, wählen Sie bei der Anmeldung „Passwort vergessen“. Ein neues Passwort meldet alle Geräte ab.`,
    },
  },
  emailSignIn: {
    title: 'Anmelden',
    text: (name, email) => `Möchten Sie sich bei ${name} als ${email} anmelden?`,
    hint: (code) =>
      `Wenn Sie die Anmeldung auf einem anderen Gerät oder in einem anderen Browser begonnen haben, geben Sie dort den Code ${code} ein.`,
    button: 'Anmelden',
    endedText:
      'Der Link ist abgelaufen, wurde bereits verwendet oder ist unvollständig. Fordern Sie bei der Anmeldung eine neue E-Mail an.',
  },
  providerReturn: {
    title: 'Diese Anmeldung ist beendet',
    text: 'Sie hat länger als zehn Minuten gedauert, wurde bereits abgeschlossen oder hat nicht in diesem Browser begonnen. Kehren Sie zu der Seite zurück, auf der Sie sich anmelden wollten, und beginnen Sie erneut.',
  },
  resetPassword: {
    title: 'Wählen Sie ein neues Passwort',
    text: (email) => `Für Ihr Konto ${email}`,
    button: 'Neues Passwort festlegen',
    done: 'Ihr Passwort wurde geändert',
  },
  acceptInvite: {
    title: 'Willkommen',
    text: (email) => `Wählen Sie ein Passwort für Ihr Konto ${email}`,
    button: 'Passwort festlegen',
    done: 'Ihr Konto ist eingerichtet',
  },
  password: {
    label: 'Neues Passwort',
    hint: (minLength) => `Mindestens ${minLength} Zeichen. Alle Zeichen sind erlaubt.`,
    weakness: (weakness: PasswordWeakness, minLength: number) =>
      ({
        too_short: `Verwenden Sie mindestens ${minLength} Zeichen.`,
        too_long: `Verwenden Sie höchstens ${PASSWORD_MAX_LENGTH} Zeichen.`,
        too_many_bytes:
          'Verwenden Sie höchstens 72 Zeichen. Buchstaben mit Akzent, andere Schriften und Emojis zählen als zwei bis vier.',
        too_common: 'Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.',
        contains_personal_data:
          'Verwenden Sie weder Ihre E-Mail-Adresse noch den Namen dieses Dienstes als Passwort.',
        breached: 'Dieses Passwort ist bei einem Datenleck bekannt geworden. Wählen Sie ein anderes.',
      })[weakness],
    doneText: (email) => `Sie können sich jetzt als ${email} anmelden.`,
  },
  changeEmail: {
    title: 'E-Mail-Adresse ändern',
    text: (email, newEmail) => `Möchten Sie Ihre E-Mail-Adresse von ${email} zu ${newEmail} ändern?`,
    button: 'Änderung bestätigen',
    done: 'Ihre E-Mail-Adresse wurde geändert',
    doneText: (newEmail) => `${newEmail} ist jetzt Ihre E-Mail-Adresse.`,
    oneMoreStep: 'Noch ein Schritt',
    oneMoreStepText:
      'Öffnen Sie den Link in der E-Mail, die an Ihre andere Adresse gesendet wurde. Die Änderung wird wirksam, sobald beide Adressen bestätigt sind.',
    expiredText: 'Fordern Sie die Änderung der E-Mail-Adresse erneut an.',
  },
  billing: {
    title: 'Abrechnung',
    text: 'Ihr Tarif ist „Self-hosted: alles inbegriffen“. Es ist keine Zahlung erforderlich.',
    back: (host) => `Zurück zu ${host}`,
    retryText: 'Kehren Sie zur Anwendung zurück und öffnen Sie die Abrechnung erneut.',
  },
  error: {
    title: 'Etwas ist schiefgelaufen',
    text: 'Öffnen Sie den Link in Ihrer E-Mail erneut.',
    texts: {
      rate_limited: 'Zu viele Anfragen. Warten Sie eine Minute und versuchen Sie es erneut.',
      overloaded: 'Der Dienst ist ausgelastet. Gehen Sie zurück und versuchen Sie es gleich noch einmal.',
      unavailable:
        'Der Dienst ist vorübergehend nicht verfügbar. Gehen Sie zurück und versuchen Sie es gleich noch einmal.',
      internal_error:
        'Es ist ein unerwarteter Fehler aufgetreten. Gehen Sie zurück und versuchen Sie es gleich noch einmal.',
      email_already_registered:
        'Ein anderes Konto verwendet diese E-Mail-Adresse bereits. Ihre Adresse wurde nicht geändert.',
      invalid_token: 'Der Link wurde bereits verwendet oder ersetzt.',
      method_not_enabled:
        'Die Anmeldung mit einem Passwort wird nicht mehr angeboten. Melden Sie sich auf einem anderen Weg an.',
    },
  },
};

const pageTexts: Record<BuiltInLanguage, PageTexts> = { en: english, de: german };

/** Returns the page texts in the reader's preferred language. */
export function selectPageTexts(preference: LanguagePreference): PageTexts {
  const language = preferredLanguages(preference).find((each) => Object.hasOwn(pageTexts, each));
  return pageTexts[language as BuiltInLanguage];
}
