import type { ProjectSettings } from './project-settings.js';

/** The project properties that request handlers use. */
export interface ProjectContext {
  id: string;
  organizationId: string;
  name: string;
  organizationName: string;
  settings: ProjectSettings;
}

/** The project properties on which its customers' tokens depend. */
export type TokenProject = Pick<ProjectContext, 'id' | 'settings'>;

export const environments = ['development', 'staging', 'production'] as const;
export type Environment = (typeof environments)[number];

/** A project as the API returns it to secret keys. */
export interface Project {
  id: string;
  organizationId: string;
  name: string;
  slug: string;
  environment: Environment;
  settings: ProjectSettings;
  archivedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}
