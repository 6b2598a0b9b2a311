import type { StoredPasskey } from '../support/software-authenticator.js';

/** A project's keys. The secret key can access the complete organization. */
export interface ProjectKeys {
  organizationId: string;
  projectId: string;
  secretKey: string;
  publishableKey: string;
}

/** A webhook endpoint with the secret that signs its deliveries. */
export interface FixtureEndpoint {
  id: string;
  secret: string;
  /** Custom headers that every delivery carries. */
  headers: Record<string, string>;
}

/** The sign-in methods and the settings that 0.2.0 has added. */
export interface SignInFixture {
  /** A project in the second organization with every sign-in method. Signs access tokens with RS256. */
  project: ProjectKeys;
  /** A customer who signs in with a passkey alone. */
  passkey: { email: string; authenticator: StoredPasskey };
  /** A customer whose sign-in with the password requires a second factor. */
  totp: { email: string; secret: string; recoveryCodes: string[] };
  /** A refresh token for a session that was opened with a second factor. */
  refreshToken: string;
  /** An OpenID Provider with its client, and a person who has signed in there. */
  provider: {
    id: string;
    slug: string;
    clientId: string;
    clientSecret: string;
    subject: string;
    email: string;
  };
  /** A customer with a second factor and an account at `provider`, who was imported and has not signed in yet. */
  imported: { email: string; subject: string; totpSecret: string };
  /** The secret that signs requests to the system from which the project's customers move. */
  legacySecret: string;
  /** A custom email template. `{{email}}` in its subject stands for the address. */
  template: { kind: string; language: string; subject: string };
  /** An operator with a passkey as the second factor. */
  operator: { email: string; password: string; authenticator: StoredPasskey };
}

/** The data in a dump that tests need: secrets, keys, ids and row counts. */
export interface Manifest {
  /** Version of Gatehouse that wrote the database. */
  version: string;
  /** That version's commit. */
  commit: string;
  /** ISO 8601, UTC. */
  dumpedAt: string;
  /** The installation's GATEHOUSE_SECRET. It protects nothing but this dump. */
  rootSecret: string;
  /** The password for every customer with a password. */
  password: string;
  /** The first two belong to one organization, the third to another. */
  projects: [ProjectKeys, ProjectKeys, ProjectKeys];
  operator: { email: string; password: string; totpSecret: string; recoveryCodes: string[] };
  /** Customers' email addresses in the first project. */
  customers: {
    /** Their password was set through the API. */
    native: string[];
    /** Their password hash was imported and never used; by hash format. */
    imported: Record<string, string>;
    withoutPassword: string;
    unverified: string;
    disabled: string;
    /** Locked when the dump was written, for 15 minutes. */
    locked: string;
  };
  /** Refresh tokens for active sessions in the first project. */
  refreshTokens: string[];
  endpoints: {
    /** In the first project, with a custom header. Has succeeded, due and scheduled deliveries. */
    healthy: FixtureEndpoint;
    /** An organization endpoint, with dead letters. */
    failing: FixtureEndpoint;
  };
  /** Delivery ids by state. */
  deliveries: {
    succeeded: string[];
    /** Pending, and not attempted yet. */
    due: string[];
    /** Pending, with a retry about two days after the dump. */
    scheduled: string[];
    /** Claimed by a worker that was killed. */
    leased: string[];
    /** Failed, and neither redelivered nor discarded. */
    deadLetters: string[];
  };
  /** The bulk redelivery that was started and has not created its deliveries yet. */
  runningRedelivery: string;
  /** Undefined before 0.2.0. */
  signIn?: SignInFixture;
  /** Rows in the table `migrations`, oldest first. */
  migrations: { timestamp: string; name: string }[];
  rowCounts: Record<string, number>;
}
