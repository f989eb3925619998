"""What teaches: lessons, questions, quiz items, feedback, challenges, mastery and paper."""
