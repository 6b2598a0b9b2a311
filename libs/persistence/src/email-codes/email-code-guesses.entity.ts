import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Wrong email code guesses in a project, counted in intervals of five minutes. */
@Entity('email_code_guesses')
export class EmailCodeGuessesEntity {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId!: string;
  @PrimaryColumn({ type: 'timestamptz', name: 'began_at', precision: 3 }) beganAt!: Date;
  @Column('integer') guesses!: number;
}
