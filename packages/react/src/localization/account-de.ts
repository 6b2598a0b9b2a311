import type { accountEn } from './account-en.js';

/** The German texts in the account settings and the customer button. */
export const accountDe: { [Key in keyof typeof accountEn]: string } = {
  // Menu
  accountMenu: 'Kontomenü',
  account: 'Kontoeinstellungen',
  signOut: 'Abmelden',

  // Shared by the sections
  save: 'Speichern',
  saved: 'Gespeichert',
  cancel: 'Abbrechen',
  close: 'Schließen',
  remove: 'Entfernen',
  removeTitle: '{name} entfernen?',
  rename: 'Umbenennen',
  name: 'Name',
  added: 'Hinzugefügt: {date}',
  lastUsed: 'Zuletzt verwendet: {date}',
  more: 'Mehr anzeigen',

  // Profile
  profile: 'Profil',
  firstName: 'Vorname',
  lastName: 'Nachname',
  verified: 'Bestätigt',
  unverified: 'Nicht bestätigt',
  verifyEmail: 'Bestätigungslink senden',
  changeEmail: 'E-Mail-Adresse ändern',
  changeEmailText:
    'Wir senden einen Link an Ihre bisherige und an die neue Adresse. Die Adresse ändert sich, wenn Sie beide Links geöffnet haben.',
  newEmail: 'Neue E-Mail-Adresse',
  emailSent: 'Öffnen Sie die Links, die wir an {email} und an Ihre bisherige Adresse gesendet haben.',

  // Password
  passwordText: 'Ein neues Passwort meldet Sie auf allen anderen Geräten ab.',
  setPassword: 'Neues Passwort festlegen',
  newPassword: 'Neues Passwort',
  passwordSet: 'Das neue Passwort gilt. Sie sind auf allen anderen Geräten abgemeldet.',

  // Second factors
  factors: 'Bestätigung in zwei Schritten',
  factorsText: 'Ein zweiter Schritt schützt Ihr Konto, wenn jemand anderes Ihr Passwort kennt.',
  authenticator: 'Authenticator-App',
  noAuthenticator: 'Noch keine Authenticator-App',
  addAuthenticator: 'Authenticator-App hinzufügen',
  scanText:
    'Scannen Sie den QR-Code mit einer Authenticator-App und geben Sie dann den Code ein, den sie anzeigt.',
  removeAuthenticatorText:
    'Ihre Codes werden nicht mehr angenommen. Mit dem letzten zweiten Schritt enden auch die Wiederherstellungscodes.',
  recoveryCodes: 'Wiederherstellungscodes',
  codesLeft: 'Noch {count}',
  download: 'Codes herunterladen',
  newCodes: 'Neue Codes erstellen',
  newCodesText: 'Die Wiederherstellungscodes, die Sie gespeichert haben, werden ungültig.',

  // Passkeys
  passkeys: 'Passkeys',
  passkeysText: 'Melden Sie sich mit Fingerabdruck, Gesicht oder PIN an.',
  noPasskeys: 'Noch keine Passkeys',
  removePasskeyText: 'Sie können sich nicht mehr damit anmelden. Löschen Sie ihn auch auf Ihrem Gerät.',

  // Identities
  identities: 'Verbundene Konten',
  connect: '{name} verbinden',
  connected: 'Das Konto ist verbunden.',
  disconnect: 'Trennen',
  disconnectTitle: '{name} trennen?',

  // Sessions
  sessions: 'Sitzungen',
  thisDevice: 'Dieses Gerät',
  unknownDevice: 'Unbekanntes Gerät',
  lastActive: 'Zuletzt aktiv: {date}',
  endSession: 'Auf {device} abmelden?',
  endOthers: 'Auf allen anderen Geräten abmelden',

  // Deletion
  deleteAccount: 'Konto löschen',
  deleteText: 'Ihr Konto und seine Daten werden endgültig gelöscht. Das lässt sich nicht rückgängig machen.',
  deleteConfirm: 'Geben Sie zur Bestätigung {email} ein',

  // Proof of identity
  proofPassword: 'Geben Sie Ihr Passwort ein, um fortzufahren.',
  proofEmail: 'Wir senden einen Code an Ihre E-Mail-Adresse.',
  proofMissing: 'Melden Sie sich ab und wieder an, und wiederholen Sie dann die Änderung.',
  proven: 'Sie haben sich bestätigt. Wiederholen Sie jetzt die Änderung.',
  usePassword: 'Passwort verwenden',
};
